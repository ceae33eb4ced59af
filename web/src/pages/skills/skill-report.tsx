/** What was found in a skill's files: what keeps it out, what is odd, and which lines are worth a look. */
import { Search, TriangleAlert } from "lucide-react";
import type { SkillVerdict } from "../../api/types.generated.ts";
import { Notice } from "../../ui/notice.tsx";
import { SCAN_WORDS } from "./permission-words.ts";

type Note = SkillVerdict["problems"][number];
type Scan = SkillVerdict["scan"];

export function Problems({ problems }: { readonly problems: readonly Note[] }) {
  if (problems.length === 0) return null;
  return (
    <Notice
      tone="danger"
      title={
        problems.length === 1
          ? "One thing keeps it from being a skill"
          : `${problems.length} things keep it from being a skill`
      }
    >
      <NoteList notes={problems} />
    </Notice>
  );
}

export function Warnings({ warnings }: { readonly warnings: readonly Note[] }) {
  if (warnings.length === 0) return null;
  return (
    <Notice tone="warn" title={warnings.length === 1 ? "One thing is odd" : `${warnings.length} things are odd`}>
      <NoteList notes={warnings} />
    </Notice>
  );
}

function NoteList({ notes }: { readonly notes: readonly Note[] }) {
  return (
    <ul className="list-disc pl-5">
      {notes.map(({ message }, at) => (
        <li key={at} dir="auto">
          {message}
        </li>
      ))}
    </ul>
  );
}

/** Lines that reach for something outside of the skill, by what they reach for. Nothing is refused for them. */
export function ScanFindings({ scan: { findings, is_cut } }: { readonly scan: Scan }) {
  const kinds = Object.entries(SCAN_WORDS).flatMap(([kind, words]) => {
    const found = findings.filter((finding) => finding.kind === kind);
    return found.length === 0 ? [] : [{ kind, words, found }];
  });
  if (kinds.length === 0)
    return (
      <p className="flex items-center gap-2 text-quiet">
        <Search aria-hidden className="size-4" />
        No line reaches for anything outside of the skill.
      </p>
    );
  return (
    <div className="flex flex-col gap-2">
      <p className="text-quiet">
        Lines worth a look before you trust it. Scripts run in a cage, and nothing is refused for these.
      </p>
      {kinds.map(({ kind, words, found }) => (
        <details key={kind} open={found.length <= 3} className="rounded-md border border-line px-3 py-2">
          <summary className="font-medium">
            <TriangleAlert aria-hidden className="mr-2 inline size-4 text-warn" />
            {words}{" "}
            <span className="font-normal text-quiet">({found.length === 1 ? "1 line" : `${found.length} lines`})</span>
          </summary>
          <ul className="mt-1 list-disc pl-8 text-sm">
            {found.map(({ message, line, file }, at) => (
              <li key={`${file} ${line ?? 0} ${at}`} dir="auto">
                {message}
              </li>
            ))}
          </ul>
        </details>
      ))}
      {is_cut ? <p className="text-sm text-quiet">There are more than are listed.</p> : null}
    </div>
  );
}
