/** Whether the key ring has every key that sealed a row of the database. */
import { ok, type Result } from "../../core/base/errors.ts";
import { findMissingKeys, describeMissingKeys, parseKeyRing } from "../../core/secrets/key-ring.ts";
import type { RecordedKeys } from "../../core/ports/sealed-values.ts";
import type { SqlBackend, StatementResult } from "./sql-backend.ts";

/** A key that sealed a row is not in the ring. The message names its fingerprint and the way back. */
export class KeyMissing extends Error {
  override readonly name = "KeyMissing";
}

const PLACE = " (without the variable: restore secrets.json of the state folder)";

/** Throws `KeyMissing`, and what the backend throws. */
export async function checkKeyRing(backend: SqlBackend, secretKey: string, old: string | null): Promise<void> {
  const missing = await findMissingKeys(recordedKeys(backend), parseKeyRing(secretKey, old));
  if (missing.ok && missing.value.length > 0) throw new KeyMissing(describeMissingKeys(missing.value, PLACE));
}

function recordedKeys(backend: SqlBackend): RecordedKeys {
  const call = async (query: string, params: readonly string[]): Promise<StatementResult["rows"]> => {
    const options = { role: "otto_app", isolation: null, readOnly: false, deferrable: false } as const;
    const [result] = await backend.transact([{ query, params }], options);
    return result?.rows ?? [];
  };
  return {
    async listRecorded() {
      const rows = await call("select header, member from otto_sealing_keys()", []);
      return ok(rows.map(([header, member]) => ({ header: header ?? "", member: member ?? null })));
    },
    async setFirst(header): Promise<Result<void>> {
      await call("select otto_set_first_sealing_key($1::text)", [header]);
      return ok(undefined);
    },
    async forget(header) {
      const [row] = await call("select otto_forget_sealing_key($1::text)", [header]);
      return ok(row?.[0] === "t");
    },
  };
}
