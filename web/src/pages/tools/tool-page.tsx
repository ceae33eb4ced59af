/** One tool: its description, its input, and a form to try it. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { RotateCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import type { Tool } from "../../api/types.generated.ts";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { ExactText } from "../../ui/exact-text.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useToast } from "../../ui/toast.tsx";
import { toApiError } from "../../api/problem.ts";
import { ToolAbout } from "./tool-about.tsx";
import { toolQuery } from "./tool-queries.ts";
import { ToolVersions } from "./tool-versions.tsx";
import { TryTool } from "./try-tool.tsx";

export function ToolPage() {
  const { name } = useParams({ from: "/console/tools/$name" });
  const { data: tool, error, refetch } = useQuery(toolQuery(name));
  if (tool !== undefined) return <ShownTool key={tool.name} tool={tool} />;
  if (error !== null && toApiError(error).status === 404)
    return (
      <Page title={name}>
        <Empty
          title="Tool not found"
          action={
            <Link to="/tools" className={buttonClasses("primary")}>
              To the tools
            </Link>
          }
        >
          It may have been taken away, or its MCP server lists it no more.
        </Empty>
      </Page>
    );
  return (
    <Page title={name}>
      {error === null ? (
        <Skeleton rows={6} label="Loading the tool" />
      ) : (
        <ProblemNotice error={error} doing="Couldn't load the tool" onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

function ShownTool({ tool }: { readonly tool: Tool }) {
  const { view } = useSearch({ from: "/console/tools/$name" });
  const isOwn = tool.source === "custom";
  const link = (to?: "try" | "versions") => ({
    to: "/tools/$name" as const,
    params: { name: tool.name },
    search: to === undefined ? {} : { view: to },
  });
  const tabs = [
    { label: "About", link: link(), isCurrent: view === undefined },
    { label: "Try it", link: link("try"), isCurrent: view === "try" },
    ...(isOwn ? [{ label: "Versions", link: link("versions"), isCurrent: view === "versions" }] : []),
  ];
  return (
    <Page title={tool.name} lead={<ExactText text={tool.summary} />} actions={<Actions tool={tool} isOwn={isOwn} />}>
      <Tabs label="Views of the tool" tabs={tabs} />
      {view === "try" ? <TryTool tool={tool} /> : null}
      {view === "versions" && isOwn ? <ToolVersions name={tool.name} /> : null}
      {view === undefined || (view === "versions" && !isOwn) ? <ToolAbout tool={tool} /> : null}
    </Page>
  );
}

function Actions({ tool, isOwn }: { readonly tool: Tool; readonly isOwn: boolean }) {
  const say = useToast();
  const client = useQueryClient();
  const reloading = useMutation({
    mutationFn: async () =>
      await answered(api.POST("/v1/tools/{name}/reload", { params: { path: { name: tool.name } }, body: {} })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["tools"] });
      say(`${tool.name} was read again.`);
    },
    onError: (error) => say(`Couldn't reload: ${toApiError(error).message}`),
  });
  const canReload = isOwn || /^(?:openapi|mcp):/.test(tool.source);
  return (
    <>
      {canReload ? (
        <Button
          isBusy={reloading.isPending}
          icon={<RotateCw aria-hidden className="size-4" />}
          onClick={() => reloading.mutate()}
        >
          Read again
        </Button>
      ) : null}
      {isOwn ? <Remove name={tool.name} /> : null}
    </>
  );
}

function Remove({ name }: { readonly name: string }) {
  const [isAsking, setAsking] = useState(false);
  const say = useToast();
  const client = useQueryClient();
  const navigate = useNavigate();
  const removing = useMutation({
    mutationFn: async () => await answered(api.DELETE("/v1/tools/{name}", { params: { path: { name } } })),
    onSuccess: async () => {
      await navigate({ to: "/tool-sources" });
      say(`${name} is taken away.`);
      await client.invalidateQueries({ queryKey: ["tools"] });
    },
  });
  return (
    <>
      <Button look="danger" icon={<Trash2 aria-hidden className="size-4" />} onClick={() => setAsking(true)}>
        Remove
      </Button>
      <Confirm
        isOpen={isAsking}
        title={`Remove ${name}?`}
        action="Remove"
        isBusy={removing.isPending}
        onConfirm={() => removing.mutate()}
        onClose={() => setAsking(false)}
      >
        <p>New tasks cannot use it. Running tasks keep it, and its versions stay.</p>
        {removing.isError ? <ProblemNotice error={removing.error} doing="Couldn't remove" /> : null}
      </Confirm>
    </>
  );
}
