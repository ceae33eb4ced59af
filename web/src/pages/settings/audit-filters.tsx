/** Filters of the audit log: act, actor, target. */
import { useCallback } from "react";
import { SelectField } from "../../ui/field.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { honestProse } from "../../ui/visible-text.ts";
import type { AuditSearch } from "./audit-search.ts";
import { ACTS, ACTS_BY_KIND, actInWords } from "./audit-words.ts";

interface AuditFiltersProps {
  readonly search: AuditSearch;
  readonly onSearch: (search: AuditSearch) => void;
  /** The names of keys, by their ids. */
  readonly keys: ReadonlyMap<string, string>;
}

/** Who acts without a key of the tenant. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ["otto", "Otto, automatically"],
  ["operator", "The operator of this Otto"],
]);

export function AuditFilters({ search, onSearch, keys }: AuditFiltersProps) {
  const { action = "", actor = "", target = "" } = search;
  const narrow = (part: AuditSearch): void => onSearch(withoutEmpty({ ...search, ...part }));
  const searchTarget = useCallback(
    (next: string) => onSearch(withoutEmpty({ ...search, target: next })),
    [search, onSearch],
  );
  return (
    <div className="grid items-end gap-3 sm:grid-cols-3">
      <SelectField label="What" value={action} onChange={(event) => narrow({ action: event.target.value })}>
        <option value="">Everything</option>
        {isKnown(action) ? null : <option value={action}>{actInWords(action)}</option>}
        {ACTS_BY_KIND.map(({ kind, title, acts }) => (
          <optgroup key={kind} label={title}>
            <option value={kind}>{`${title}: anything`}</option>
            {acts.map((act) => (
              <option key={act.action} value={act.action}>
                {act.words}
              </option>
            ))}
          </optgroup>
        ))}
      </SelectField>
      <SelectField label="By" value={actor} onChange={(event) => narrow({ actor: event.target.value })}>
        <option value="">Anybody</option>
        {actor === "" || keys.has(actor) || OTHERS.has(actor) ? null : <option value={actor}>{actor}</option>}
        {[...OTHERS, ...keys].map(([id, name]) => (
          <option key={id} value={id}>
            {honestProse(name)}
          </option>
        ))}
      </SelectField>
      <SearchBox label="On: an id, as the list has it" value={target} onSearch={searchTarget} />
    </div>
  );
}

function isKnown(action: string): boolean {
  return action === "" || Object.hasOwn(ACTS, action) || ACTS_BY_KIND.some(({ kind }) => kind === action);
}

function withoutEmpty(search: AuditSearch): AuditSearch {
  return Object.fromEntries(Object.entries(search).filter(([, text]) => text !== ""));
}
