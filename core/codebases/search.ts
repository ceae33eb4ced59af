/** Searches the codebases that a task may use. */
import { failed, ok, type Result } from "../base/errors.ts";
import { findNearest } from "../base/nearest.ts";
import type { CodebasesPort, CodebaseTable } from "../ports/codebases.ts";
import { isListed, type ListedUser } from "../base/user-lists.ts";
import type { Codebase } from "./codebase.ts";
import { findNear, type NearDeps } from "./find-near.ts";
import { type CodeQuery, isNamed, parseCodeQuery, type RankedHit, rankHits } from "./rank.ts";

/** Hits of each kind that are ranked. */
const MAX_HITS = 50;
const MAX_NAMED = 3;
const HOW_TO_ADD =
  "An administrator can add one with POST /v1/codebases, and name this agent, project or person in its lists.";

interface CodeSearchDeps extends NearDeps {
  readonly table: Pick<CodebaseTable, "all" | "find" | "readChunks">;
}

/** `user` null: an administrator, who may search all codebases of the tenant. */
export function openCodebases(deps: CodeSearchDeps, tenant: string, user: ListedUser | null): CodebasesPort {
  return {
    async search({ query, fileType, codebase, limit, signal }) {
      const all = await deps.table.all(tenant);
      if (!all.ok) return all;
      const chosen = choose(all.value, codebase, user);
      if (!chosen.ok) return chosen;
      const searched = chosen.value;
      const byId = new Map(searched.map((one) => [one.id, one]));
      const parsed = parseCodeQuery(query, [...byId.keys()], fileType);
      const ranked =
        parsed === null ? ok([]) : await findRanked(deps, tenant, searched, parsed, { query, limit, signal });
      if (!ranked.ok) return ranked;
      const hits = ranked.value.flatMap((hit) => {
        const of = byId.get(hit.codebase);
        return of === undefined ? [] : [{ ...hit, codebase: of.name, commit: of.commit }];
      });
      return ok({ hits, searched: searched.map(({ name, files, status }) => ({ name, files, status })) });
    },
  };
}

/**
 * A query that is a symbol's name needs no vectors, which take longer than the rest. Names and words alone still find
 * something while the embedder or the vectors are away.
 */
async function findRanked(
  deps: CodeSearchDeps,
  tenant: string,
  searched: readonly Codebase[],
  parsed: CodeQuery,
  { query, limit, signal }: { readonly query: string; readonly limit: number; readonly signal: AbortSignal },
): Promise<Result<readonly RankedHit[]>> {
  const found = await deps.table.find(tenant, parsed, MAX_HITS);
  if (!found.ok) return found;
  const search = { query, extensions: parsed.extensions, signal };
  const near = isNamed(found.value, query) ? ok([]) : await findNear(deps, tenant, searched, search);
  return ok(rankHits(found.value, near.ok ? near.value : [], parsed, limit));
}

/** The codebases to search: the named one, or all that the user may use. */
function choose(all: readonly Codebase[], name: string | null, user: ListedUser | null): Result<readonly Codebase[]> {
  const usable = user === null ? all : all.filter((one) => isListed(one, user));
  if (name === null) {
    if (usable.length > 0 || user === null) return ok(usable);
    return failed("not_found", `There is no codebase that this task may search. ${HOW_TO_ADD}`);
  }
  const named = all.find((one) => one.name === name);
  if (named !== undefined && usable.includes(named)) return ok([named]);
  if (named !== undefined)
    return failed("permission_denied", `The lists of the codebase ${name} do not allow this task to search it.`, {
      field: "project_name",
    });
  const instead = usable.length === 0 ? HOW_TO_ADD : `There are: ${listNearest(name, usable).join(", ")}.`;
  return failed("not_found", `There is no codebase ${JSON.stringify(name)}. ${instead}`, { field: "project_name" });
}

/** At most three names, the nearest first. */
function listNearest(name: string, usable: readonly Codebase[]): readonly string[] {
  const names = usable.map((one) => one.name);
  const nearest = findNearest(name, names);
  return [...new Set([...(nearest === null ? [] : [nearest]), ...names])].slice(0, MAX_NAMED);
}
