/** What is searched for, in which project, and of which kind. A search begins with Enter: its words are compared by meaning. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Search, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { answered, api } from "../../api/client.ts";
import { usePaged } from "../../api/paged.ts";
import type { Project } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import type { MemorySearch } from "./memory-search.ts";

/** Stands for "of no project" in the list; no project has a name with a space. */
const TENANT = "of no project";

/** The projects by name, as far as one page has them. */
export function useProjects(): readonly Project[] {
  const { rows } = usePaged<Project>(
    ["projects", "names"],
    async () => await answered(api.GET("/v1/projects", { params: { query: { limit: 100 } } })),
  );
  return rows;
}

export function MemoryFilters() {
  const { q, project, scope, kind, tag } = useSearch({ from: "/console/memory" });
  const navigate = useNavigate({ from: "/memory" });
  const [words, setWords] = useState(q ?? "");
  const [tagged, setTagged] = useState(tag ?? "");
  const names = [...new Set([...useProjects().map(({ name }) => name), ...(project === undefined ? [] : [project])])];
  const place: MemorySearch = project === undefined ? (scope === undefined ? {} : { scope }) : { project };
  const kinds: MemorySearch = kind === undefined ? {} : { kind };
  const look = async (fields: { readonly q: string; readonly tag: string }): Promise<void> => {
    await navigate({ search: { ...place, ...kinds, ...named(fields) } });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void look({ q: words, tag: tagged });
  };
  const chooseProject = (chosen: string): void => {
    const other: MemorySearch = chosen === TENANT ? { scope: "tenant" } : chosen === "" ? {} : { project: chosen };
    void navigate({ search: { ...named({ q: words, tag: tagged }), ...kinds, ...other } });
  };
  const chooseKind = (chosen: string): void => {
    const other: MemorySearch = chosen === "note" || chosen === "summary" ? { kind: chosen } : {};
    void navigate({ search: { ...named({ q: words, tag: tagged }), ...place, ...other } });
  };
  return (
    <form
      role="search"
      onSubmit={submit}
      className="grid items-end gap-3 sm:grid-cols-2 xl:grid-cols-[minmax(0,1fr)_12rem_9rem_9rem_auto]"
    >
      <TextField
        label="Search by meaning or tag"
        type="search"
        value={words}
        maxLength={2_000}
        onChange={({ target }) => setWords(target.value)}
        placeholder="When is the office closed?"
      />
      <SelectField
        label="Project"
        value={scope === "tenant" ? TENANT : (project ?? "")}
        onChange={({ target }) => chooseProject(target.value)}
      >
        <option value="">All</option>
        <option value={TENANT}>None: the whole tenant’s</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField label="Kind" value={kind ?? ""} onChange={({ target }) => chooseKind(target.value)}>
        <option value="">All</option>
        <option value="note">Facts</option>
        <option value="summary">Summaries</option>
      </SelectField>
      <TextField label="Tag" value={tagged} maxLength={64} onChange={({ target }) => setTagged(target.value)} />
      <div className="flex gap-2">
        <Button type="submit" icon={<Search aria-hidden className="size-4" />}>
          Search
        </Button>
        {q === undefined && tag === undefined ? null : (
          <Button
            look="quiet"
            icon={<X aria-hidden className="size-4" />}
            onClick={() => void look({ q: "", tag: "" })}
          >
            Clear
          </Button>
        )}
      </div>
    </form>
  );
}

/** The fields that say something. */
function named({ q, tag }: { readonly q: string; readonly tag: string }): MemorySearch {
  return { ...(q.trim() === "" ? {} : { q: q.trim() }), ...(tag.trim() === "" ? {} : { tag: tag.trim() }) };
}
