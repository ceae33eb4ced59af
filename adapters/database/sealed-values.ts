/** Sealed values in every table, and the keys that sealed them (migrations/0024_sealing_keys.sql). */
import { sql } from "drizzle-orm";
import { ok } from "../../core/base/errors.ts";
import type { RecordedKeys, SealedValues } from "../../core/ports/sealed-values.ts";
import { asTenant, callDirectory, type Connection } from "./connection.ts";

export function sealedValues(connection: Connection): RecordedKeys & SealedValues {
  return {
    async listRecorded() {
      const read = await callDirectory(connection, sql`select header, member from otto_sealing_keys()`);
      if (!read.ok) return read;
      return ok(read.value.map(({ header, member }) => ({ header: String(header), member: toText(member) })));
    },

    async setFirst(header) {
      const written = await callDirectory(connection, sql`select otto_set_first_sealing_key(${header}::text)`);
      return written.ok ? ok(undefined) : written;
    },

    async forget(header) {
      const gone = await callDirectory(connection, sql`select otto_forget_sealing_key(${header}::text) as gone`);
      return gone.ok ? ok(gone.value[0]?.["gone"] === true) : gone;
    },

    async replace(tenant, column, { sealed, by }) {
      const isList = column.endsWith("[]");
      const [table = "", name = ""] = column.replace("[]", "").split(".");
      const [from, field] = [sql.identifier(table), sql.identifier(name)];
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(
          isList
            ? sql`update ${from} set ${field} = array_replace(${field}, ${sealed}::text, ${by}::text)
                where tenant = ${tenant} and ${sealed}::text = any (${field})`
            : sql`update ${from} set ${field} = ${by}::text where tenant = ${tenant} and ${field} = ${sealed}::text`,
        ),
      ]);
      return written.ok ? ok(undefined) : written;
    },
  };
}

function toText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
