/** The ledger's row of one call, without the rows around it, which may hold megabytes of results. */
import { answered, api } from "../../../api/client.ts";
import type { LedgerRow } from "../../../api/types.generated.ts";
import { placeBefore } from "./ledger-place.ts";

/** Null without a row. */
export async function readRow(taskId: string, callId: string): Promise<LedgerRow | null> {
  const cursor = placeBefore(callId);
  if (cursor === null) return null;
  const page = await answered(
    api.GET("/v1/tasks/{id}/ledger", { params: { path: { id: taskId }, query: { cursor, limit: 1 } } }),
  );
  return page.data.find(({ call_id }) => call_id === callId) ?? null;
}
