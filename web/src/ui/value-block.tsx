/** Arguments and results as a person reads them: long texts as they are, the rest as JSON. */
import { CodeBlock, JsonBlock } from "./code.tsx";
import { splitValue } from "./split-value.ts";
import { oneLine } from "./visible-text.ts";

export function ValueBlock({ value, label }: { readonly value: unknown; readonly label: string }) {
  if (typeof value === "string") return <CodeBlock text={value} label={label} />;
  const { texts, rest } = splitValue(value);
  if (texts.length === 0) return <JsonBlock value={value} label={label} />;
  return (
    <div className="flex flex-col gap-2">
      {rest === null ? null : <JsonBlock value={rest} label={label} />}
      {texts.map(([name, text]) => (
        <div key={name} className="flex flex-col gap-1">
          <p className="font-mono text-xs text-quiet">{oneLine(name, 80)}</p>
          <CodeBlock text={text} label={`${label}, ${oneLine(name, 80)}`} />
        </div>
      ))}
    </div>
  );
}
