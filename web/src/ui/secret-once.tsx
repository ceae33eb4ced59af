/** A secret that was just made: it stands on the page, where no stray click closes it, until somebody has taken it. */
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { CodeBlock } from "./code.tsx";
import { Notice } from "./notice.tsx";

interface SecretOnceProps {
  readonly secret: string;
  /** What it is called: "the key". */
  readonly name?: string;
  /** What it is for. */
  readonly children: ReactNode;
  readonly onDone: () => void;
}

export function SecretOnce({ secret, name = "the secret", children, onDone }: SecretOnceProps) {
  return (
    <div className="flex flex-col gap-3">
      <Notice tone="warn" title={`Copy ${name} now`}>
        <p>It is shown this once, and nobody can read it again.</p>
        <p>{children}</p>
      </Notice>
      <CodeBlock text={secret} label={name} />
      <Button look="primary" className="self-start" onClick={onDone}>
        I have copied it
      </Button>
    </div>
  );
}
