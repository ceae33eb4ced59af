/** The exact arguments of a call, as approved. */
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { ExactText } from "../ui/exact-text.tsx";
import { hiddenNames } from "../ui/visible-text.ts";
import { Notice } from "../ui/notice.tsx";
import { asArguments, jsonText } from "./edited-arguments.ts";

export function ArgumentsView({ value }: { readonly value: unknown }) {
  const [isJson, setJson] = useState(false);
  const given = asArguments(value);
  const names = Object.keys(given);
  const hidden = hiddenNames(jsonText(value));
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex items-center justify-between gap-3">
        <p className="text-sm font-medium">With these arguments</p>
        {names.length === 0 ? null : (
          <Button size="small" look="quiet" aria-pressed={isJson} onClick={() => setJson(!isJson)}>
            As JSON
          </Button>
        )}
      </div>
      {hidden.length === 0 ? null : (
        <Notice tone="warn" title="The arguments hold characters that cannot be seen">
          They are named where they stand: {hidden.join(", ")}.
        </Notice>
      )}
      {names.length === 0 ? (
        <p className="text-quiet">None.</p>
      ) : (
        <div
          tabIndex={0}
          role="group"
          aria-label="Arguments"
          className="max-h-[28rem] overflow-auto rounded-md border border-line bg-sunken"
        >
          {isJson ? (
            <pre dir="ltr" className="p-3 font-mono text-[0.8125rem] leading-5 whitespace-pre-wrap">
              <ExactText text={jsonText(value)} />
            </pre>
          ) : (
            <dl className="divide-y divide-line">
              {names.map((name) => (
                <div key={name} className="grid gap-x-4 gap-y-0.5 px-3 py-2 sm:grid-cols-[10rem_1fr]">
                  <dt className="font-mono text-[0.8125rem] text-quiet">
                    <ExactText text={name} />
                  </dt>
                  <dd className="min-w-0">
                    <ArgumentValue value={given[name]} />
                  </dd>
                </div>
              ))}
            </dl>
          )}
        </div>
      )}
    </div>
  );
}

function ArgumentValue({ value }: { readonly value: unknown }) {
  if (value === "") return <span className="text-quiet">(empty text)</span>;
  if (typeof value === "string") return <ExactText text={value} />;
  return (
    <code dir="ltr" className="font-mono text-[0.8125rem]">
      <ExactText text={jsonText(value)} />
    </code>
  );
}
