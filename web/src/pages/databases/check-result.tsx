/** What the latest check of a database found, in words, and what to do about it. */
import type { ReactNode } from "react";
import type { Database } from "../../api/types.generated.ts";
import { count } from "../../ui/amounts.ts";
import { Name } from "../../ui/name.tsx";
import { Notice } from "../../ui/notice.tsx";
import { GrantExample } from "./grant-example.tsx";

interface CheckResultProps {
  readonly database: Database;
  /** Accepts a role that may write. */
  readonly accept: ReactNode;
}

export function CheckResult({ database, accept }: CheckResultProps) {
  const { status, check, schemas = [] } = database;
  if (check === null)
    return (
      <Notice tone="warn" title="It was not checked yet">
        Agents can query it once its check has passed.
      </Notice>
    );
  const { role, server, grants, tables } = check;
  if (status === "rejected")
    return (
      <div className="flex flex-col gap-3">
        <Notice tone="danger" title={`Agents cannot query it: the role ${role} may write`} action={accept}>
          <Grants grants={grants} />
          <p>
            Make a role that only reads, and replace the DSN with that of the new role. Or accept this role: each query
            still runs in a transaction that only reads.
          </p>
        </Notice>
        <GrantExample schemas={schemas} />
      </div>
    );
  return (
    <Notice
      tone={grants.length === 0 ? "info" : "warn"}
      title={grants.length === 0 ? `Ready: the role ${role} only reads` : `Ready, although the role ${role} may write`}
    >
      <Grants grants={grants} />
      <Tables tables={tables} server={server} />
    </Notice>
  );
}

function Grants({ grants }: { readonly grants: readonly string[] }) {
  if (grants.length === 0) return null;
  return (
    <div className="mb-2">
      <p>It may:</p>
      {/* A region that scrolls must be reachable by keyboard (axe: scrollable-region-focusable). */}
      <div tabIndex={0} role="group" aria-label="Grants" className="max-h-60 overflow-y-auto">
        <ul className="list-disc pl-5 [overflow-wrap:anywhere]">
          {grants.map((grant) => (
            <li key={grant}>
              <Name>{grant}</Name>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/** As many as a check names. */
const NAMED_TABLES = 200;
/** Tables that are named here. */
const SHOWN_TABLES = 12;

function Tables({ tables, server }: { readonly tables: readonly string[]; readonly server: string }) {
  if (tables.length === 0) return <p>{`${server}. It may read no table: grant it some, then check it again.`}</p>;
  const amount = `${count(tables.length)}${tables.length < NAMED_TABLES ? "" : " or more"}`;
  const shown = tables.slice(0, SHOWN_TABLES).join(", ");
  const rest = tables.length > SHOWN_TABLES ? ", …" : "";
  return (
    <p className="[overflow-wrap:anywhere]">
      {`${server}. Queries may read ${amount} ${tables.length === 1 ? "table" : "tables"}: `}
      <Name>{`${shown}${rest}`}</Name>
    </p>
  );
}
