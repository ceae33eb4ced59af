import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import type { McpServer } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { EMPTY_SERVER } from "./server-fields.ts";
import { ServerForm } from "./server-form.tsx";
import { serversQuery } from "./server-queries.ts";
import { ServerBadge, serverPlace, toolsWord } from "./server-state.tsx";
import { Name } from "../../ui/name.tsx";

export function McpServersPage() {
  const { add = false } = useSearch({ from: "/console/mcp-servers" });
  const navigate = useNavigate({ from: "/mcp-servers" });
  const { data: servers, error, isPending, refetch } = useQuery(serversQuery);
  // Kept here, so that a window that was closed by mistake opens with what was typed.
  const [fields, setFields] = useState(EMPTY_SERVER);
  const open = async (isOpen: boolean): Promise<void> => {
    await navigate({ search: isOpen ? { add: true } : {} });
  };
  return (
    <Page
      title="MCP servers"
      lead="Other programs whose tools your agents may use. You agree to each server’s tools once, and again when they change."
      actions={
        <Button look="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => void open(true)}>
          Add a server
        </Button>
      }
    >
      {isPending ? <Skeleton rows={3} height="h-24" /> : null}
      {error === null ? null : <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {servers?.length === 0 ? (
        <Empty title="No servers yet" action={<Button onClick={() => void open(true)}>Add a server</Button>}>
          The Model Context Protocol is how programs offer tools to agents. Add one by its address, or a program that
          Otto starts for you.
        </Empty>
      ) : null}
      <ul aria-label="MCP servers" className="flex flex-col gap-3">
        {servers?.map((server) => (
          <ServerCard key={server.name} server={server} />
        ))}
      </ul>
      <Dialog isOpen={add} title="Add an MCP server" onClose={() => void open(false)} isWide>
        <ServerForm
          fields={fields}
          onChange={setFields}
          onSaved={() => setFields(EMPTY_SERVER)}
          isNew
          taken={servers?.map(({ name }) => name) ?? []}
        />
      </Dialog>
    </Page>
  );
}

const HINTS: Partial<Record<McpServer["status"], string>> = {
  authorization_needed: "It waits for a person’s consent. Open it to give it.",
  changed: "It lists other tools than you agreed to. Open it to see which.",
};

function ServerCard({ server }: { readonly server: McpServer }) {
  const { name, status, error, tool_count, stale, checked_at } = server;
  return (
    <li className="flex flex-col gap-1.5 rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="font-semibold">
          <Link to="/mcp-servers/$name" params={{ name }} className="text-accent hover:underline">
            {name}
          </Link>
        </h2>
        <ServerBadge status={status} />
        <span className="ml-auto text-sm text-quiet">
          {toolsWord(tool_count)}
          {checked_at === null ? null : (
            <>
              {" · refreshed "}
              <Time at={checked_at} />
            </>
          )}
        </span>
      </div>
      <p className="font-mono text-sm text-quiet">
        <Name>{serverPlace(server)}</Name>
      </p>
      {status === "failed" && error !== null ? (
        <p dir="auto" className="line-clamp-2 text-sm text-danger">
          {error}
        </p>
      ) : null}
      {HINTS[status] === undefined ? null : <p className="text-sm text-quiet">{HINTS[status]}</p>}
      {stale ? (
        <p className="text-sm text-quiet">It says that its tools are others now. Open it and look again.</p>
      ) : null}
    </li>
  );
}
