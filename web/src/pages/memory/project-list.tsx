/** Projects, with what each holds. */
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { usePaged } from "../../api/paged.ts";
import type { Project } from "../../api/types.generated.ts";
import { count } from "../../ui/amounts.ts";
import { Button } from "../../ui/button.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Empty } from "../../ui/notice.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { EraseProject } from "./erase-project.tsx";

export function ProjectList() {
  const list = usePaged<Project>(
    ["projects", "list"],
    async (cursor) => await answered(api.GET("/v1/projects", { params: { query: { cursor } } })),
  );
  const [erased, setErased] = useState<Project | null>(null);
  const columns: readonly Column<Project>[] = [
    {
      title: "Project",
      isMain: true,
      cell: ({ name }) => (
        <Link to="/memory" search={{ project: name }} className="font-medium text-accent underline">
          {name}
        </Link>
      ),
    },
    { title: "Memories", isNumber: true, cell: ({ memories }) => count(memories) },
    { title: "Tasks", isNumber: true, cell: ({ tasks }) => count(tasks) },
    { title: "Begun", cell: ({ created_at }) => <Time at={created_at} /> },
    {
      title: "Actions",
      cell: (project) => (
        <Button size="small" look="danger" aria-label={`Erase ${project.name}`} onClick={() => setErased(project)}>
          Erase
        </Button>
      ),
    },
  ];
  return (
    <>
      <Listing
        list={list}
        empty={
          <Empty title="No projects yet">
            A project is there from the first task or memory that names it: a channel of Slack is one, and so is any
            name that you give.
          </Empty>
        }
      >
        <Table caption="Projects" columns={columns} rows={list.rows} rowKey={({ name }) => name} />
      </Listing>
      <EraseProject project={erased} onClose={() => setErased(null)} />
    </>
  );
}
