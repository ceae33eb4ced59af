import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { answeredWithTag, api } from "../../api/client.ts";
import type { Schedule } from "../../api/types.generated.ts";
import { EditButtons, EditOvertaken } from "../../ui/edit-parts.tsx";
import { type Tagged, useEdit } from "../../ui/edit.ts";
import { useToast } from "../../ui/toast.tsx";
import { draftOfSchedule, readSchedule } from "./schedule-draft.ts";
import { ScheduleForm } from "./schedule-form.tsx";
import { scheduleQuery } from "./schedule-queries.ts";

export function EditSchedule({ schedule }: { readonly schedule: Tagged<Schedule> }) {
  const { id } = schedule.body;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useToast();
  const { queryKey } = scheduleQuery(id);
  const edit = useEdit({
    kind: "schedule",
    now: schedule,
    draftOf: draftOfSchedule,
    read: readSchedule,
    put: async (body, header) =>
      await answeredWithTag(api.PUT("/v1/schedules/{id}", { params: { path: { id }, header }, body })),
    onSaved: async ({ name, acts_for_cleared: isCleared }) => {
      say(isCleared ? `“${name}” is saved. It acts for nobody until a person confirms it.` : `“${name}” is saved.`);
      void queries.invalidateQueries({ queryKey: ["schedules", "list"] });
      await queries.invalidateQueries({ queryKey });
    },
    leave: async () => await navigate({ to: "/schedules/$scheduleId", params: { scheduleId: id }, search: {} }),
    queryKey,
  });
  return (
    <>
      <EditOvertaken edit={edit} />
      <ScheduleForm draft={edit.draft} faults={edit.faults} onChange={edit.change} onSubmit={edit.save}>
        <EditButtons edit={edit} />
      </ScheduleForm>
    </>
  );
}
