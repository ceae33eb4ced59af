/** Seals the tokens of connections, the clients of apps the keys of providers and the addresses of databases, and opens them. Nothing else does. */
import { fromBase64, toBase64 } from "../../core/base/base64.ts";
import type { RowSeal, SealedColumn, SealedPlace } from "../../core/ports/sealed-values.ts";
import type { Reseal } from "../secrets/resealing.ts";
import type { Sealing } from "../secrets/sealing.ts";

interface RowSealSettings {
  readonly tenant: string;
  readonly sealing: Pick<Sealing, "seal" | "open">;
  readonly reseal: Reseal;
}

/** Values that are stored for days are re-sealed when they are used. A flow lives for minutes, and a receipt is its text. */
const RESEALED: ReadonlySet<SealedColumn> = new Set([
  "entity_connections.sealed",
  "app_clients.sealed",
  "provider_keys.sealed",
  "databases.sealed",
]);

export function openRowSeal({ tenant, sealing, reseal }: RowSealSettings): RowSeal {
  const contextOf = ({ column, id }: SealedPlace) => `${getKind(column)} ${JSON.stringify([tenant, id])}`;
  return {
    async seal(place, value) {
      return toBase64(await sealing.seal(new TextEncoder().encode(JSON.stringify(value)), contextOf(place)));
    },

    async open(place, sealed) {
      const context = contextOf(place);
      try {
        const opened: unknown = JSON.parse(new TextDecoder().decode(await sealing.open(fromBase64(sealed), context)));
        if (RESEALED.has(place.column)) await reseal({ tenant, column: place.column, sealed, context });
        return opened;
      } catch {
        return null;
      }
    },
  };
}

/** Tokens have one kind in their three columns: they are moved without opening them. */
function getKind(column: SealedColumn): string {
  const isMoved = column === "entity_connections.revoking[]" || column === "entity_connections.flow_account";
  return isMoved ? "entity_connections.sealed" : column;
}
