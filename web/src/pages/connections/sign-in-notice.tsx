/** Says that a sign-in to an app continues in another window, and leads there if the browser opened none. */
import { Button, buttonClasses } from "../../ui/button.tsx";
import { Name } from "../../ui/name.tsx";
import { toWebAddress } from "../../ui/new-window.ts";
import { Notice } from "../../ui/notice.tsx";
import type { Link } from "./connection-queries.ts";

interface SignInNoticeProps {
  /** The app's title. */
  readonly title: string;
  readonly link: Link;
  readonly onClose: () => void;
}

export function SignInNotice({ title, link: { address, isOpened }, onClose }: SignInNoticeProps) {
  const target = isOpened ? null : toWebAddress(address, window.location.href);
  return (
    <Notice
      title={isOpened ? "Continue in the other window" : "Your browser opened no window"}
      action={
        <span className="flex flex-wrap gap-2">
          {target === null ? null : (
            <a href={target} target="_blank" rel="noopener noreferrer" className={buttonClasses("primary", "small")}>
              Continue
            </a>
          )}
          <Button size="small" onClick={onClose}>
            Close
          </Button>
        </span>
      }
    >
      Connect <Name>{title}</Name> there within 15 minutes. This page updates automatically.
    </Notice>
  );
}
