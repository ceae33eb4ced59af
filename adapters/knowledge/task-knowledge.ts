/** Documents for a task's tools: those of its project and of its tenant. */
import { CallSources } from "../../core/knowledge/sources.ts";
import { getTaskScope } from "../../core/memory/memory.ts";
import type { KnowledgePort, KnowledgeSearches } from "../../core/ports/knowledge-search.ts";
import type { TaskFacts } from "../../core/task/state.ts";

/** Opens the documents of a task. Each call replaces `sources` by its own. */
export function openTaskKnowledge(
  searches: KnowledgeSearches,
  { tenant, project }: Pick<TaskFacts, "tenant" | "project">,
): KnowledgePort {
  return {
    async search({ onlyProject, signal, ...search }) {
      const scope = onlyProject && project !== null ? [project] : getTaskScope(project);
      return await searches.search(tenant, { ...search, scope }, signal);
    },
    read: async (piece) => await searches.read(tenant, getTaskScope(project), piece),
    readImage: async (piece) => await searches.readImage(tenant, piece),
    sources: new CallSources(),
  };
}
