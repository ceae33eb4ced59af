/** What a skill may do, for people who have to decide whether to trust it. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Globe, Info, TriangleAlert } from "lucide-react";
import type { Skill, SkillDifference } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { classes } from "../../ui/classes.ts";
import { isEverything, sayAllowed, sayDifference, sayPatterns, type SaidPattern } from "./permission-words.ts";
import { toolsQuery } from "../tools/tool-queries.ts";
import { visibleText } from "../../ui/visible-text.ts";

/** Names of a family that are listed before they are folded. */
const LISTED = 8;

export function AllowedTools({ patterns }: { readonly patterns: readonly string[] | null }) {
  const { data: tools = [] } = useQuery(toolsQuery());
  return (
    <div className="flex flex-col gap-3">
      <p>{sayAllowed(patterns, tools)}</p>
      {patterns === null || isEverything(patterns) || patterns.length === 0 ? null : (
        <ul className="flex flex-col gap-1.5">
          {sayPatterns(patterns, tools).map((said) => (
            <li key={said.pattern} className="flex flex-wrap items-baseline gap-x-2">
              <PatternLine said={said} isRead={tools.length > 0} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function PatternLine({
  said: { pattern, meaning, tools },
  isRead,
}: {
  readonly said: SaidPattern;
  readonly isRead: boolean;
}) {
  const [only] = tools;
  return (
    <>
      <code className="rounded bg-sunken px-1.5 py-0.5 font-mono text-sm">{visibleText(pattern)}</code>
      {meaning === null ? (
        <span className="text-quiet">
          {only === undefined ? (
            isRead && "No tool of this name is there now."
          ) : (
            <>
              {only.summary}{" "}
              <Link to="/tools/$name" params={{ name: only.name }} className="text-accent underline">
                Open<span className="sr-only"> {only.name}</span>
              </Link>
            </>
          )}
        </span>
      ) : (
        <span className="text-quiet">
          {meaning}
          {isRead ? `: ${listed(tools.map(({ name }) => name))}` : ""}
        </span>
      )}
    </>
  );
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return "none is there now";
  if (names.length <= LISTED) return names.join(", ");
  return `${names.slice(0, LISTED).join(", ")} and ${names.length - LISTED} more`;
}

export function ScriptList({ scripts }: { readonly scripts: Skill["scripts"] }) {
  if (scripts.length === 0) return <p className="text-quiet">It has no scripts.</p>;
  return (
    <ul className="flex flex-col gap-3">
      {scripts.map(({ name, description, timeout_s, network, read_only }) => (
        <li key={name} className="flex flex-col gap-1">
          <div className="flex flex-wrap items-center gap-2">
            <code className="font-mono font-medium">{name}</code>
            {network ? (
              <Badge tone="warn" icon={<Globe aria-hidden className="size-3.5" />}>
                reaches the network
              </Badge>
            ) : (
              <Badge>no network</Badge>
            )}
            {read_only ? <Badge>only looks</Badge> : null}
            {timeout_s === null ? null : <Badge>at most {timeout_s} s</Badge>}
          </div>
          <p dir="auto" className="text-quiet">
            {description}
          </p>
        </li>
      ))}
    </ul>
  );
}

interface PermissionDifferenceProps {
  readonly difference: SkillDifference;
  /** What the two are called in a sentence: "version 2", "this upload". */
  readonly earlier: string;
  readonly later: string;
}

/** First what only the later version may do, then each difference. */
export function PermissionDifference({ difference, earlier, later }: PermissionDifferenceProps) {
  const { data: tools = [] } = useQuery(toolsQuery());
  const { widens, title } = sayDifference(difference, tools, { earlier, later });
  const Icon = widens ? TriangleAlert : Info;
  return (
    <div
      className={classes(
        "flex gap-3 rounded-lg border p-3",
        widens ? "border-warn bg-warn-soft" : "border-info bg-info-soft",
      )}
    >
      <Icon aria-hidden className={classes("mt-0.5 size-5 shrink-0", widens ? "text-warn" : "text-info")} />
      <div className="flex min-w-0 flex-col gap-1">
        <p className="font-medium">{title}</p>
        {difference.said.length === 0 ? null : (
          <ul className="list-disc pl-5 text-sm">
            {difference.said.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
