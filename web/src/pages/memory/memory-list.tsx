/** Memories, the latest first, or the best of a search: facts, then summaries. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { answered, api } from "../../api/client.ts";
import { usePaged } from "../../api/paged.ts";
import type { Memory } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { FromOutside } from "../../ui/from-outside.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Empty } from "../../ui/notice.tsx";
import { MemoryFilters } from "./memory-filters.tsx";
import { type MemorySearch, NEW } from "./memory-search.ts";
import { MemorySource } from "./memory-source.tsx";
import { honestProse, oneLine } from "../../ui/visible-text.ts";

/** Memories of a page of the list, and the most that a search gives. */
const PAGE = 50;
const HITS = 20;

export function MemoryList({ onOpen }: { readonly onOpen: (id: string) => void }) {
  const asked = useSearch({ from: "/console/memory" });
  const { q, project, scope, kind, tag } = asked;
  const list = usePaged<Memory>(["memory", "list", q, project, scope, kind, tag], async (cursor) => {
    const query = { query: q, project, scope, kind, tag, cursor, limit: q === undefined ? PAGE : HITS };
    return await answered(api.GET("/v1/memory", { params: { query } }));
  });
  return (
    <>
      <MemoryFilters key={JSON.stringify([q, tag])} />
      <Listing list={list} empty={<NoMemories asked={asked} onAdd={() => onOpen(NEW)} />}>
        <ul aria-label="Memories" className="flex flex-col gap-3">
          {list.rows.map((memory) => (
            <MemoryCard key={memory.id} memory={memory} onOpen={onOpen} />
          ))}
        </ul>
        {q !== undefined && list.rows.length === HITS ? (
          <p className="text-center text-sm text-quiet">A search shows the best {HITS}.</p>
        ) : null}
      </Listing>
    </>
  );
}

function NoMemories({
  asked: { q, project, scope, kind, tag },
  onAdd,
}: {
  readonly asked: MemorySearch;
  readonly onAdd: () => void;
}) {
  const navigate = useNavigate({ from: "/memory" });
  if (q === undefined && project === undefined && scope === undefined && kind === undefined && tag === undefined)
    return (
      <Empty
        title="No memories yet"
        action={
          <Button look="primary" onClick={onAdd}>
            Add a memory
          </Button>
        }
      >
        Each completed task leaves a summary here, and agents save what they want to know again. You can write down what
        they should know: a customer’s wish, a rule of the house.
      </Empty>
    );
  return (
    <Empty
      title="No matching memories"
      action={<Button onClick={() => void navigate({ search: {} })}>Show everything</Button>}
    >
      Try other words, another kind or another project.
    </Empty>
  );
}

function MemoryCard({ memory, onOpen }: { readonly memory: Memory; readonly onOpen: (id: string) => void }) {
  const { id, content, project, kind, label, tags, embedding, similarity, matched_tags = [] } = memory;
  return (
    <li className="flex flex-col gap-2 rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={project === null ? "plain" : "accent"}>{project ?? "whole tenant"}</Badge>
        {kind === "summary" ? <Badge tone="info">summary of a task</Badge> : null}
        {label === "outside" ? <FromOutside isUnconfirmed /> : null}
        {embedding === null ? <Badge tone="warn">only its tags find it yet</Badge> : null}
        {similarity === undefined ? null : (
          <span className="text-sm text-quiet tabular-nums">{Math.round(similarity * 100)} % alike</span>
        )}
        <span className="ml-auto">
          <Button size="small" onClick={() => onOpen(id)} aria-label={`Open: ${oneLine(content, 60)}`}>
            Open
          </Button>
        </span>
      </div>
      <p dir="auto" className="line-clamp-4 whitespace-pre-wrap">
        {honestProse(content)}
      </p>
      {tags.length === 0 ? null : (
        <p className="flex flex-wrap gap-x-3 text-sm text-quiet">
          {tags.map((tag) => (
            <bdi key={tag} className={matched_tags.includes(tag) ? "font-medium text-ink" : undefined}>
              #{honestProse(tag)}
            </bdi>
          ))}
        </p>
      )}
      <MemorySource memory={memory} />
    </li>
  );
}
