import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { MemoryDialog } from "./memory-dialog.tsx";
import { MemoryList } from "./memory-list.tsx";
import { NEW } from "./memory-search.ts";
import { ProjectList } from "./project-list.tsx";

export function MemoryPage() {
  const { view, open } = useSearch({ from: "/console/memory" });
  const navigate = useNavigate({ from: "/memory" });
  const show = async (what: string | undefined): Promise<void> => {
    await navigate({
      search: ({ open: _, ...rest }) => (what === undefined ? rest : { ...rest, open: what }),
      resetScroll: false,
    });
  };
  return (
    <Page
      title="Memory"
      lead="What agents know from earlier work, and what you want them to know. It is information to them, never an instruction."
      actions={
        <Button look="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => void show(NEW)}>
          Add a memory
        </Button>
      }
    >
      <Tabs
        label="Views of memory"
        tabs={[
          { label: "Memories", link: { to: "/memory", search: {} }, isCurrent: view === undefined },
          { label: "Projects", link: { to: "/memory", search: { view: "projects" } }, isCurrent: view === "projects" },
        ]}
      />
      {view === "projects" ? <ProjectList /> : <MemoryList onOpen={(id) => void show(id)} />}
      <MemoryDialog id={open ?? null} onClose={() => void show(undefined)} />
    </Page>
  );
}
