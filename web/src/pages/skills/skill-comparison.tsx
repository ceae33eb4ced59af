/** Two versions of a skill: what the later one may do beyond the earlier one, then what is other in each file. */
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { classes } from "../../ui/classes.ts";
import { Notice, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { TextDifference } from "../../ui/text-difference.tsx";
import { type ChangedFile, changedFiles } from "./changed-files.ts";
import { PermissionDifference } from "./permissions.tsx";
import { SHOWN_CHARACTERS, skillDifferenceQuery, skillFileQuery, skillVersionQuery } from "./skill-queries.ts";
import { visibleText } from "../../ui/visible-text.ts";

interface ComparisonProps {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

const KINDS: Readonly<Record<ChangedFile["kind"], { readonly word: string; readonly tone: Tone }>> = {
  added: { word: "new", tone: "good" },
  removed: { word: "gone", tone: "danger" },
  changed: { word: "changed", tone: "warn" },
};

export function SkillComparison({ name, from, to }: ComparisonProps) {
  const permissions = useQuery(skillDifferenceQuery(name, from, to));
  return (
    <div className="flex flex-col gap-4">
      {permissions.isPending ? <Skeleton rows={1} height="h-16" /> : null}
      {permissions.error === null ? null : (
        <ProblemNotice error={permissions.error} onRetry={() => void permissions.refetch()} />
      )}
      {permissions.data === undefined ? null : (
        <PermissionDifference
          difference={permissions.data}
          earlier={`version ${from.slice(0, 9)}`}
          later={`version ${to.slice(0, 9)}`}
        />
      )}
      <ComparedFiles {...{ name, from, to }} />
    </div>
  );
}

function ComparedFiles({ name, from, to }: ComparisonProps) {
  const { file: asked } = useSearch({ from: "/console/skills/$name" });
  const [before, after] = [useQuery(skillVersionQuery(name, from)), useQuery(skillVersionQuery(name, to))];
  const error = before.error ?? after.error;
  if (error !== null) return <ProblemNotice error={error} />;
  if (before.data === undefined || after.data === undefined) return <Skeleton rows={3} />;
  const files = changedFiles(before.data.files, after.data.files);
  const shown = files.find(({ path }) => path === asked) ?? files[0];
  if (shown === undefined) return <p className="text-quiet">Every file is the same.</p>;
  return (
    <>
      <nav aria-label="Files that differ">
        <ul className="flex flex-wrap gap-2">
          {files.map(({ path, kind }) => (
            <li key={path}>
              <Link
                to="/skills/$name"
                params={{ name }}
                search={{ view: "versions", from, to, file: path }}
                resetScroll={false}
                aria-current={path === shown.path ? "true" : undefined}
                className={classes(
                  "flex min-h-9 items-center gap-2 rounded-md border px-3 py-1",
                  path === shown.path
                    ? "border-accent bg-accent-soft font-medium text-accent"
                    : "border-line hover:bg-hover",
                )}
              >
                <bdi>{visibleText(path)}</bdi>
                <Badge tone={KINDS[kind].tone}>{KINDS[kind].word}</Badge>
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <FileComparison key={shown.path} {...{ name, from, to }} file={shown} />
    </>
  );
}

function FileComparison({ name, from, to, file: { path, kind } }: ComparisonProps & { readonly file: ChangedFile }) {
  const before = useQuery({ ...skillFileQuery(name, path, from), enabled: kind !== "added" });
  const after = useQuery({ ...skillFileQuery(name, path, to), enabled: kind !== "removed" });
  const error = before.error ?? after.error;
  const [old, now] = [kind === "added" ? "" : before.data, kind === "removed" ? "" : after.data];
  if (error !== null) return <ProblemNotice error={error} />;
  if (old === undefined || now === undefined) return <Skeleton rows={8} height="h-5" />;
  if (old === null || now === null) return <Notice title={`${path} is no text`}>Binary files differ.</Notice>;
  if (old.length > SHOWN_CHARACTERS || now.length > SHOWN_CHARACTERS)
    return <Notice title={`${path} is too long to be compared here`}>Download both and compare them.</Notice>;
  return <TextDifference before={old} after={now} label={`How ${path} differs`} />;
}
