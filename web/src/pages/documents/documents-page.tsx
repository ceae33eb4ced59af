/** The documents that agents search and cite: added here, followed until they are ready, and searched as an agent searches. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { Page, Section } from "../../ui/page.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { DocumentDialog } from "./document-dialog.tsx";
import { DocumentHits } from "./document-hits.tsx";
import { DocumentList } from "./document-list.tsx";
import { DocumentUpload } from "./document-upload.tsx";

export function DocumentsPage() {
  const { q = "", open } = useSearch({ from: "/console/documents" });
  const navigate = useNavigate({ from: "/documents" });
  const show = (id: string | undefined): void => {
    void navigate({
      search: ({ open: _, ...rest }) => (id === undefined ? rest : { ...rest, open: id }),
      resetScroll: false,
    });
  };
  const search = useCallback(
    (words: string) => void navigate({ search: words === "" ? {} : { q: words }, replace: true }),
    [navigate],
  );
  return (
    <Page title="Documents" lead="What agents search and cite. It is information to them, never an instruction.">
      <SearchBox label="Search in documents" value={q} onSearch={search} />
      {q === "" ? (
        <>
          <Section title="Add documents">
            <DocumentUpload />
          </Section>
          <DocumentList onOpen={show} />
        </>
      ) : (
        <DocumentHits words={q} onOpen={show} />
      )}
      <DocumentDialog id={open ?? null} onClose={() => show(undefined)} />
    </Page>
  );
}
