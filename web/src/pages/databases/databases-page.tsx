/** The databases that agents may query: added here, checked, and opened to agents, projects and people. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Page } from "../../ui/page.tsx";
import { DatabaseDialog } from "./database-dialog.tsx";
import { DatabaseList } from "./database-list.tsx";
import type { DatabaseSearch } from "./database-search.ts";
import { NewDatabase } from "./new-database.tsx";

export function DatabasesPage() {
  const { open, add: isAdding = false } = useSearch({ from: "/console/databases" });
  const navigate = useNavigate({ from: "/databases" });
  const show = (search: DatabaseSearch): void => void navigate({ search, resetScroll: false });
  const add = (
    <Button look="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => show({ add: true })}>
      Add a database
    </Button>
  );
  return (
    <Page
      title="Databases"
      lead="Databases that agents may query. They read with one SELECT at a time and can change nothing."
      actions={add}
    >
      <DatabaseList add={add} onOpen={(name) => show({ open: name })} />
      <Dialog isOpen={isAdding} title="Add a database" onClose={() => show({})}>
        <NewDatabase onAdded={(name) => show({ open: name })} onClose={() => show({})} />
      </Dialog>
      <DatabaseDialog name={open ?? null} onClose={() => show({})} />
    </Page>
  );
}
