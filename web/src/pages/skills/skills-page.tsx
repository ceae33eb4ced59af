import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { FileCode, Package, Upload } from "lucide-react";
import type { Skill } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { More } from "../../ui/more.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { isEverything } from "./permission-words.ts";
import { skillsQuery } from "./skill-queries.ts";
import { UploadDialog } from "./upload-dialog.tsx";

export function SkillsPage() {
  const { upload = false } = useSearch({ from: "/console/skills" });
  const navigate = useNavigate({ from: "/skills" });
  const open = async (isOpen: boolean): Promise<void> => {
    await navigate({ search: isOpen ? { upload: true } : {} });
  };
  return (
    <Page
      title="Skills"
      lead="Instructions and scripts that teach agents a job, and bound what they may do meanwhile."
      actions={
        <Button look="primary" icon={<Upload aria-hidden className="size-4" />} onClick={() => void open(true)}>
          Upload a skill
        </Button>
      }
    >
      <SkillList onUpload={() => void open(true)} />
      <UploadDialog isOpen={upload} onClose={() => void open(false)} />
    </Page>
  );
}

function SkillList({ onUpload }: { readonly onUpload: () => void }) {
  const { data, error, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useInfiniteQuery(skillsQuery);
  if (isPending) return <Skeleton rows={4} height="h-28" />;
  if (error !== null) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  const skills = data.pages.flatMap((page) => page.data);
  const hasOwn = skills.some(({ source }) => source === "own");
  return (
    <>
      {hasOwn ? null : (
        <Empty title="You have no skills of your own yet" action={<Button onClick={onUpload}>Upload a skill</Button>}>
          A skill is a folder with a SKILL.md. Those below ship with Otto; the one named skill-writer helps an agent to
          write yours.
        </Empty>
      )}
      <ul className="grid gap-3 lg:grid-cols-2">
        {skills.map((skill) => (
          <SkillCard key={skill.hash} skill={skill} />
        ))}
      </ul>
      <More
        hasMore={hasNextPage}
        isBusy={isFetchingNextPage}
        onMore={() => void fetchNextPage()}
        shown={skills.length}
      />
    </>
  );
}

function SkillCard({ skill }: { readonly skill: Skill }) {
  const { name, description, source, version, updated_at, scripts, allowed_tools, tags } = skill;
  return (
    <li className="flex flex-col gap-2 rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <h2 className="font-semibold">
          <Link to="/skills/$name" params={{ name }} className="text-accent hover:underline">
            {name}
          </Link>
        </h2>
        {source === "otto" ? (
          <Badge tone="info" icon={<Package aria-hidden className="size-3.5" />}>
            Ships with Otto
          </Badge>
        ) : (
          <span className="text-sm text-quiet">
            Version {version}
            {updated_at === null ? null : (
              <>
                {" · "}
                <Time at={updated_at} />
              </>
            )}
          </span>
        )}
      </div>
      <p dir="auto" className="line-clamp-3 text-quiet">
        {description}
      </p>
      <div className="mt-auto flex flex-wrap items-center gap-2">
        <Badge>{sayLimits(allowed_tools)}</Badge>
        {scripts.length === 0 ? null : (
          <Badge icon={<FileCode aria-hidden className="size-3.5" />}>
            {scripts.length === 1 ? "1 script" : `${scripts.length} scripts`}
          </Badge>
        )}
        {scripts.some(({ network }) => network) ? <Badge tone="warn">reaches the network</Badge> : null}
        {tags.slice(0, 4).map((tag) => (
          <span key={tag} dir="auto" className="text-sm text-quiet">
            #{tag}
          </span>
        ))}
      </div>
    </li>
  );
}

function sayLimits(patterns: readonly string[] | null): string {
  if (patterns === null || isEverything(patterns)) return "every tool of its agent";
  if (patterns.length === 0) return "no tools";
  return patterns.length === 1 ? "1 kind of tool only" : `${patterns.length} kinds of tool only`;
}
