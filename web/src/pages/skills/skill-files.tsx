/** The files of a version, and one of them to read. */
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { Download, FileCode, FileText } from "lucide-react";
import type { SkillDetail, SkillVersionDetail } from "../../api/types.generated.ts";
import { bytes } from "../../ui/amounts.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { CodeBlock } from "../../ui/code.tsx";
import { Notice, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { skillFileAddress, skillFileQuery } from "./skill-queries.ts";
import { visibleText } from "../../ui/visible-text.ts";

interface SkillFilesProps {
  readonly name: string;
  readonly skill: SkillDetail | SkillVersionDetail;
}

export function SkillFiles({ name, skill }: SkillFilesProps) {
  const { file: asked, version } = useSearch({ from: "/console/skills/$name" });
  const { files, scripts } = skill;
  const shown = asked ?? scripts[0]?.path ?? "SKILL.md";
  const found = files.find(({ path }) => path === shown);
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,20rem)_minmax(0,1fr)]">
      <nav aria-label="Files">
        <ul className="flex flex-col gap-0.5">
          {files.map(({ path, size }) => {
            const isScript = scripts.some((script) => script.path === path);
            const Icon = isScript ? FileCode : FileText;
            return (
              <li key={path}>
                <Link
                  to="/skills/$name"
                  params={{ name }}
                  search={{ view: "files", file: path, ...(version === undefined ? {} : { version }) }}
                  resetScroll={false}
                  aria-current={path === shown ? "true" : undefined}
                  className={classes(
                    "flex min-h-9 items-center gap-2 rounded-md px-2 py-1",
                    path === shown ? "bg-accent-soft font-medium text-accent" : "hover:bg-hover",
                  )}
                >
                  <Icon aria-hidden className="size-4 shrink-0" />
                  <bdi className="min-w-0 flex-1">{visibleText(path)}</bdi>
                  {isScript ? <Badge>script</Badge> : null}
                  <span className="text-sm whitespace-nowrap text-quiet">{bytes(size)}</span>
                </Link>
              </li>
            );
          })}
        </ul>
      </nav>
      {found === undefined ? (
        <Notice tone="warn" title="File not found in this version" />
      ) : (
        <FileView name={name} path={found.path} version={skill.version === null ? skill.hash : String(skill.version)} />
      )}
    </div>
  );
}

function FileView({ name, path, version }: { readonly name: string; readonly path: string; readonly version: string }) {
  const { data: text, error, isPending, refetch } = useQuery(skillFileQuery(name, path, version));
  const download = (
    <a
      href={skillFileAddress(name, path, version)}
      download={path.split("/").at(-1)}
      className={buttonClasses("plain", "small")}
    >
      <Download aria-hidden className="size-4" />
      Download
    </a>
  );
  return (
    <Section title={path} actions={download}>
      {isPending ? <Skeleton rows={8} height="h-5" /> : null}
      {error === null ? null : <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {text === null ? <Notice title="This file is not text">Download it to open it.</Notice> : null}
      {typeof text === "string" ? (
        <CodeBlock text={text} label={`Text of ${path}`} className="[&_pre]:max-h-[75dvh]" />
      ) : null}
    </Section>
  );
}
