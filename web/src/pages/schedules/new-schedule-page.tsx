import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { Button } from "../../ui/button.tsx";
import { useDraft } from "../../ui/draft.ts";
import type { Faults } from "../../ui/faults.ts";
import { ProblemNotice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { useToast } from "../../ui/toast.tsx";
import { ownZone } from "../../ui/zone-field.tsx";
import { newSchedule, readSchedule, type ScheduleConfig } from "./schedule-draft.ts";
import { ScheduleForm } from "./schedule-form.tsx";

export function NewSchedulePage() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const say = useToast();
  const start = newSchedule(ownZone());
  const [draft, setDraft, forget] = useDraft("schedule new", start);
  const [faults, setFaults] = useState<Faults>({});
  const { headersFor } = useRequestKey();
  const making = useMutation({
    mutationFn: async (body: ScheduleConfig) =>
      await answered(api.POST("/v1/schedules", { body, headers: headersFor(body) })),
    onSuccess: async ({ id, name }) => {
      forget();
      say(`${name} is made.`);
      await navigate({ to: "/schedules/$scheduleId", params: { scheduleId: id } });
      await queries.invalidateQueries({ queryKey: ["schedules", "list"] });
    },
  });
  const submit = (): boolean => {
    const read = readSchedule(draft);
    setFaults(read.ok ? {} : read.faults);
    if (read.ok && !making.isPending) making.mutate(read.value);
    return read.ok;
  };
  return (
    <Page title="New schedule" lead="An agent works, or somebody is reminded, whenever it is due.">
      <ScheduleForm
        draft={draft}
        faults={{ ...(making.isError ? toApiError(making.error).fields : {}), ...faults }}
        onChange={(part) => {
          setDraft({ ...draft, ...part });
          setFaults({});
        }}
        onSubmit={submit}
      >
        {making.isError ? <ProblemNotice error={making.error} doing="Couldn't create the schedule" /> : null}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" isBusy={making.isPending}>
            Create schedule
          </Button>
          <Button
            look="quiet"
            onClick={() => {
              setDraft(start);
              forget();
              setFaults({});
            }}
          >
            Start over
          </Button>
        </div>
      </ScheduleForm>
    </Page>
  );
}
