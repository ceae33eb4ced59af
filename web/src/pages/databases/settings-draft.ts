/** The settings of a database, as the form has them: lists with one entry a line. */
import type { Database, NewDatabaseInput } from "../../api/types.generated.ts";

export interface SettingsDraft {
  readonly tls: Database["tls"];
  readonly schemas: string;
  readonly allowedTables: string;
  readonly deniedTables: string;
  readonly deniedColumns: string;
  readonly functions: string;
  readonly samples: boolean;
  readonly maxRows: string;
  readonly timeout: string;
}

/** The defaults of the API (`core/databases/limits.ts`). */
export const NEW_SETTINGS: SettingsDraft = {
  tls: "require",
  schemas: "",
  allowedTables: "",
  deniedTables: "",
  deniedColumns: "",
  functions: "",
  samples: false,
  maxRows: "1000",
  timeout: "15",
};

export function toSettingsDraft(settings: StoredSettings): SettingsDraft {
  const { tls, schemas, tables, columns, functions, samples, max_rows: rows, timeout_s: timeout } = settings;
  return {
    tls,
    schemas: toText(schemas),
    allowedTables: toText(tables?.allow),
    deniedTables: toText(tables?.deny),
    deniedColumns: toText(columns?.deny),
    functions: toText(functions),
    samples: samples === true,
    maxRows: String(rows),
    timeout: String(timeout),
  };
}

type Settings = Pick<NewDatabaseInput, "schemas" | "tables" | "columns" | "functions" | "samples"> &
  Pick<Database, "tls" | "max_rows" | "timeout_s">;
type StoredSettings = Pick<Database, keyof Settings>;

/** The settings of a request. An empty list of what is allowed is omitted, and so allows everything. */
export function toSettings(draft: SettingsDraft): Settings {
  const [schemas, allow] = [toLines(draft.schemas), toLines(draft.allowedTables)];
  return {
    tls: draft.tls,
    ...(schemas.length === 0 ? {} : { schemas }),
    tables: { ...(allow.length === 0 ? {} : { allow }), deny: toLines(draft.deniedTables) },
    columns: { deny: toLines(draft.deniedColumns) },
    functions: toLines(draft.functions),
    samples: draft.samples,
    max_rows: Number(draft.maxRows),
    timeout_s: Number(draft.timeout),
  };
}

/** Entries may have spaces: `"Order Lines"` is a table's name. */
export function toLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function toText(entries: readonly string[] | undefined): string {
  return (entries ?? []).join("\n");
}
