import { queryOptions } from "@tanstack/react-query";
import { answered, api } from "./client.ts";
import type { Health } from "./types.generated.ts";

/** The status of this installation. */
export const healthQuery = queryOptions({ queryKey: ["health"], queryFn: readHealth });

/** A health that is no good comes with status 503, and is an answer all the same. */
async function readHealth(): Promise<Health> {
  const { data, error } = await api.GET("/health").catch(() => ({ data: undefined, error: undefined }));
  const health = data ?? error;
  return health !== undefined && "database" in health ? health : await answered(api.GET("/health"));
}
