/** The versions of a skill: look at one, compare two, make an earlier one the present one again. */
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useAuthor } from "../../api/author.ts";
import { answered, api } from "../../api/client.ts";
import type { SkillDetail, SkillVersion } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/field.tsx";
import { More } from "../../ui/more.tsx";
import { ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { SkillComparison } from "./skill-comparison.tsx";
import { skillVersionsQuery } from "./skill-queries.ts";

export function SkillVersions({ skill }: { readonly skill: SkillDetail }) {
  const { name } = skill;
  const { from, to } = useSearch({ from: "/console/skills/$name" });
  const { data, error, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    skillVersionsQuery(name),
  );
  if (isPending) return <Skeleton rows={3} height="h-14" />;
  if (error !== null) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  const versions = data.pages.flatMap((page) => page.data);
  return (
    <>
      <Table
        caption={`Versions of ${name}`}
        rows={versions}
        rowKey={({ hash, version }) => `${version ?? hash}`}
        columns={[
          { title: "Version", cell: (one) => <VersionLink name={name} version={one} /> },
          {
            title: "Created",
            cell: ({ created_at }) => (created_at === null ? "with Otto" : <Time at={created_at} />),
          },
          { title: "By", cell: ({ created_by }) => <MadeBy id={created_by} /> },
          {
            title: "Description",
            isMain: true,
            cell: ({ description }) => (
              <span dir="auto" className="line-clamp-2 text-quiet">
                {description}
              </span>
            ),
          },
          {
            title: "Use",
            cell: (one) => (one.is_current ? <Badge tone="good">in use</Badge> : <Restore name={name} version={one} />),
          },
        ]}
      />
      <More
        hasMore={hasNextPage}
        isBusy={isFetchingNextPage}
        onMore={() => void fetchNextPage()}
        shown={versions.length}
      />
      {versions.length < 2 ? (
        <p className="text-quiet">
          Upload the skill again to make a second version; the two can be compared here then.
        </p>
      ) : (
        <Compare name={name} versions={versions} from={from} to={to} />
      )}
    </>
  );
}

function MadeBy({ id }: { readonly id: string | null }) {
  const { kind, name } = useAuthor(id ?? "Otto");
  return <span className="sm:whitespace-nowrap">{kind === "key" ? `key “${name}”` : name}</span>;
}

function VersionLink({ name, version: { version, hash } }: { readonly name: string; readonly version: SkillVersion }) {
  return (
    <Link
      to="/skills/$name"
      params={{ name }}
      search={{ version: version === null ? hash : String(version) }}
      className="font-medium whitespace-nowrap text-accent underline"
    >
      Version {version ?? hash.slice(0, 9)}
    </Link>
  );
}

interface CompareProps {
  readonly name: string;
  readonly versions: readonly SkillVersion[];
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** The latest two unless the address names others. */
function Compare({ name, versions, from, to }: CompareProps) {
  const navigate = useNavigate({ from: "/skills/$name" });
  const numbers = versions.flatMap(({ version }) => (version === null ? [] : [String(version)]));
  const chosen = { to: to ?? numbers[0] ?? "", from: from ?? numbers[1] ?? "" };
  const choose = async (next: { from?: string; to?: string }): Promise<void> => {
    await navigate({ search: { view: "versions", ...chosen, ...next }, resetScroll: false });
  };
  const options = [...new Set([...numbers, chosen.from, chosen.to])];
  const select = (key: "from" | "to", label: string) => (
    <SelectField
      label={label}
      value={chosen[key]}
      onChange={({ target }) => void choose({ [key]: target.value })}
      className="w-40"
    >
      {options.map((number) => (
        <option key={number} value={number}>
          Version {number.slice(0, 9)}
        </option>
      ))}
    </SelectField>
  );
  return (
    <Section title="Difference between two versions">
      <div className="flex flex-wrap gap-3">
        {select("from", "From")}
        {select("to", "To")}
      </div>
      <SkillComparison key={`${chosen.from} ${chosen.to}`} name={name} from={chosen.from} to={chosen.to} />
    </Section>
  );
}

function Restore({ name, version: { version } }: { readonly name: string; readonly version: SkillVersion }) {
  const [isAsked, setAsked] = useState(false);
  const queries = useQueryClient();
  const say = useToast();
  const restoring = useMutation({
    mutationFn: async () =>
      await answered(api.PUT("/v1/skills/{name}", { params: { path: { name } }, body: { version: version ?? 1 } })),
    onSuccess: async () => {
      setAsked(false);
      say(`Tasks that begin now have version ${version} of ${name}.`);
      await queries.invalidateQueries({ queryKey: ["skills"] });
    },
  });
  if (version === null) return null;
  return (
    <>
      <button type="button" className={buttonClasses("plain", "small")} onClick={() => setAsked(true)}>
        Use this version
      </button>
      <Confirm
        isOpen={isAsked}
        title={`Use version ${version} again?`}
        action={`Use version ${version}`}
        isBusy={restoring.isPending}
        onConfirm={() => restoring.mutate()}
        onClose={() => setAsked(false)}
      >
        <p>Tasks that begin from now on have it. Those that run keep the version that they began with.</p>
        {restoring.isError ? <ProblemNotice error={restoring.error} /> : null}
      </Confirm>
    </>
  );
}
