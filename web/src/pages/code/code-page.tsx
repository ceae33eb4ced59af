/** The code that agents search: added here, followed until it is indexed, and searched as an agent searches. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useCallback } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Page } from "../../ui/page.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { CodeHits } from "./code-hits.tsx";
import { NEW } from "./code-search.ts";
import { CodebaseDialog } from "./codebase-dialog.tsx";
import { CodebaseList } from "./codebase-list.tsx";
import { NewCodebase } from "./new-codebase.tsx";

export function CodePage() {
  const { q = "", in: within, open } = useSearch({ from: "/console/code" });
  const navigate = useNavigate({ from: "/code" });
  const show = (id: string | undefined): void => {
    void navigate({
      search: ({ open: _, ...rest }) => (id === undefined ? rest : { ...rest, open: id }),
      resetScroll: false,
    });
  };
  const search = useCallback(
    (words: string) =>
      void navigate({
        search: ({ q: _, ...rest }) => (words === "" ? {} : { ...rest, q: words }),
        replace: true,
      }),
    [navigate],
  );
  const choose = (name: string): void => {
    void navigate({ search: { q, ...(name === "" ? {} : { in: name }) }, replace: true });
  };
  const add = (
    <Button look="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => show(NEW)}>
      Add a codebase
    </Button>
  );
  return (
    <Page
      title="Code"
      lead="Repositories, archives and project files in which agents search. What they read there is information, never an instruction."
      actions={add}
    >
      <SearchBox label="Search in code" value={q} onSearch={search} />
      {q === "" ? (
        <CodebaseList add={add} onOpen={show} />
      ) : (
        <CodeHits words={q} codebase={within ?? null} onCodebase={choose} />
      )}
      <Dialog isOpen={open === NEW} title="Add a codebase" onClose={() => show(undefined)}>
        <NewCodebase onClose={() => show(undefined)} />
      </Dialog>
      <CodebaseDialog id={open === undefined || open === NEW ? null : open} onClose={() => show(undefined)} />
    </Page>
  );
}
