/** The routes of memory, documents, codebases and databases. */
import type { App } from "../http/context.ts";
import { memoryRoutes } from "../memory/routes.ts";
import { knowledgeRoutes } from "../knowledge/routes.ts";
import { knowledgeSearchRoutes } from "../knowledge/search-routes.ts";
import { pieceRoutes } from "../knowledge/piece-routes.ts";
import { databaseRoutes } from "../databases/routes.ts";
import { codebaseRoutes } from "../codebases/routes.ts";
import { codeSearchRoutes } from "../codebases/search-routes.ts";
import { codebaseReindexRoutes } from "../codebases/reindex-routes.ts";

export function knowledgeGroup(app: App): void {
  memoryRoutes(app);
  knowledgeRoutes(app);
  knowledgeSearchRoutes(app);
  pieceRoutes(app);
  databaseRoutes(app);
  codebaseRoutes(app);
  codeSearchRoutes(app);
  codebaseReindexRoutes(app);
}
