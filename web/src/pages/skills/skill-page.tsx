import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { Package, Trash2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { SkillDetail, SkillVersionDetail } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { Notice, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Card, Page, Section } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { DeleteSkill } from "./delete-skill.tsx";
import { AllowedTools, ScriptList } from "./permissions.tsx";
import { SkillFiles } from "./skill-files.tsx";
import { skillQuery, skillVersionQuery } from "./skill-queries.ts";
import { ScanFindings, Warnings } from "./skill-report.tsx";
import { SkillVersions } from "./skill-versions.tsx";
import { Name } from "../../ui/name.tsx";
import { whenReached } from "../../api/when-reached.ts";

const Markdown = lazy(async () => await whenReached(async () => await import("../../ui/markdown.tsx")));

export function SkillPage() {
  const { name } = useParams({ from: "/console/skills/$name" });
  const { data: skill, error, isPending, refetch } = useQuery(skillQuery(name));
  const [isDeleting, setDeleting] = useState(false);
  return (
    <Page
      title={name}
      lead={skill === undefined ? undefined : <Name>{skill.description}</Name>}
      actions={
        skill?.source === "own" ? (
          <Button look="danger" icon={<Trash2 aria-hidden className="size-4" />} onClick={() => setDeleting(true)}>
            Delete
          </Button>
        ) : skill === undefined ? null : (
          <Badge tone="info" icon={<Package aria-hidden className="size-3.5" />}>
            Ships with Otto
          </Badge>
        )
      }
    >
      {isPending ? <Skeleton rows={4} height="h-24" /> : null}
      {error === null ? null : <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {skill === undefined ? null : (
        <>
          <SkillViews skill={skill} />
          <DeleteSkill skill={skill} isOpen={isDeleting} onClose={() => setDeleting(false)} />
        </>
      )}
    </Page>
  );
}

/** The views of the present version, or of the one that the address names. */
function SkillViews({ skill }: { readonly skill: SkillDetail }) {
  const { view = "instructions", version } = useSearch({ from: "/console/skills/$name" });
  const { name, versions, files } = skill;
  const isOther = version !== undefined && version !== String(skill.version) && version !== skill.hash;
  const { data: other, error, refetch } = useQuery({ ...skillVersionQuery(name, version ?? ""), enabled: isOther });
  const shown = isOther ? other : skill;
  const kept = isOther ? { version } : {};
  const link = (search: Record<string, string>) => ({ to: "/skills/$name", params: { name }, search }) as const;
  return (
    <>
      <Tabs
        label={`Views of ${name}`}
        tabs={[
          { label: "Instructions", link: link(kept), isCurrent: view === "instructions" },
          {
            label: "Files",
            link: link({ view: "files", ...kept }),
            isCurrent: view === "files",
            count: (shown ?? { files }).files.length,
          },
          { label: "Versions", link: link({ view: "versions" }), isCurrent: view === "versions", count: versions },
        ]}
      />
      {isOther && view !== "versions" ? (
        <Notice
          tone="warn"
          title={`This is version ${version.slice(0, 9)}, not the one that tasks have now`}
          action={
            <Link {...link(view === "files" ? { view } : {})} className="text-accent underline">
              Show current version
            </Link>
          }
        />
      ) : null}
      {error === null ? null : <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {view === "versions" ? <SkillVersions skill={skill} /> : null}
      {view !== "versions" && shown === undefined && error === null ? <Skeleton rows={4} height="h-24" /> : null}
      {view === "files" && shown !== undefined ? <SkillFiles name={name} skill={shown} /> : null}
      {view === "instructions" && shown !== undefined ? (
        // Rendered at once: on a phone, a later text would move the content below it.
        <Suspense fallback={<Skeleton rows={4} height="h-24" />}>
          <Instructions skill={shown} />
        </Suspense>
      ) : null}
    </>
  );
}

function Instructions({ skill }: { readonly skill: SkillDetail | SkillVersionDetail }) {
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]">
      <Section title="Instructions">
        <Card>
          <Markdown text={skill.instructions} />
        </Card>
      </Section>
      <div className="flex flex-col gap-6">
        <Section title="What it may do">
          <Card>
            <AllowedTools patterns={skill.allowed_tools} />
          </Card>
        </Section>
        <Section title="Scripts">
          <Card>
            <ScriptList scripts={skill.scripts} />
          </Card>
        </Section>
        <Section title="Scan of its files">
          <Warnings warnings={skill.warnings} />
          <Card>
            <ScanFindings scan={skill.scan} />
          </Card>
        </Section>
        <Section title="About">
          <Card>
            <About skill={skill} />
          </Card>
        </Section>
      </div>
    </div>
  );
}

function About({ skill }: { readonly skill: SkillDetail | SkillVersionDetail }) {
  const rows: readonly (readonly [string, string | null])[] = [
    ["Author", skill.author],
    ["Its own version", skill.stated_version],
    ["Category", skill.category],
    ["Tags", skill.tags.length === 0 ? null : skill.tags.join(", ")],
    ["License", skill.license],
    ["Needs", skill.compatibility],
    ...Object.entries(skill.metadata),
    ["Fingerprint", skill.hash.slice(0, 16)],
  ];
  return (
    <Facts>
      {rows.map(([label, value]) => (
        <Fact key={label} name={label}>
          {value === null ? null : <span dir="auto">{value}</span>}
        </Fact>
      ))}
      <Fact name="Created">{skill.created_at === null ? null : <ExactTime at={skill.created_at} />}</Fact>
    </Facts>
  );
}
