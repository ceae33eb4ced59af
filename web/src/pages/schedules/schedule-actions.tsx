import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { CirclePause, CirclePlay, Play } from "lucide-react";
import { answered, api } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { Schedule } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { lastOccurrenceQuery, occurrencesKey, scheduleQuery } from "./schedule-queries.ts";

export function ScheduleActions({ schedule }: { readonly schedule: Schedule }) {
  const { id, name, paused, next_at } = schedule;
  const queries = useQueryClient();
  const say = useToast();
  const { headersFor, renew } = useRequestKey();
  const refresh = async (): Promise<void> => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: scheduleQuery(id).queryKey }),
      queries.invalidateQueries({ queryKey: occurrencesKey(id) }),
      queries.invalidateQueries({ queryKey: lastOccurrenceQuery(id).queryKey }),
      queries.invalidateQueries({ queryKey: ["schedules", "list"] }),
    ]);
  };
  const path = { id };
  const pausing = useMutation({
    mutationFn: async () =>
      await answered(
        paused
          ? api.POST("/v1/schedules/{id}/resume", { params: { path } })
          : api.POST("/v1/schedules/{id}/pause", { params: { path } }),
      ),
    onSuccess: async () => {
      say(paused ? `${name} resumed.` : `${name} is paused.`);
      await refresh();
    },
  });
  const running = useMutation({
    mutationFn: async () =>
      await answered(api.POST("/v1/schedules/{id}/run", { params: { path }, headers: headersFor({}) })),
    onSuccess: async () => {
      renew();
      say(`${name} runs now.`);
      await refresh();
    },
  });
  const canPause = paused || next_at !== null;
  return (
    <>
      <Button
        look="primary"
        icon={<Play aria-hidden className="size-4" />}
        isBusy={running.isPending}
        onClick={() => running.mutate()}
      >
        Run now
      </Button>
      {canPause ? (
        <Button
          icon={paused ? <CirclePlay aria-hidden className="size-4" /> : <CirclePause aria-hidden className="size-4" />}
          isBusy={pausing.isPending}
          onClick={() => pausing.mutate()}
        >
          {paused ? "Resume" : "Pause"}
        </Button>
      ) : null}
      <DeleteSchedule schedule={schedule} />
      {running.isError ? <ProblemNotice error={running.error} doing="Couldn't run" /> : null}
      {pausing.isError ? (
        <ProblemNotice error={pausing.error} doing={paused ? "Couldn't resume" : "Couldn't pause"} />
      ) : null}
    </>
  );
}

function DeleteSchedule({ schedule: { id, name } }: { readonly schedule: Schedule }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (
    <DeleteButton
      name={name}
      action="Delete the schedule"
      remove={async () => await answered(api.DELETE("/v1/schedules/{id}", { params: { path: { id } } }))}
      onDeleted={async () => {
        await navigate({ to: "/schedules" });
        queries.removeQueries({ queryKey: scheduleQuery(id).queryKey });
        queries.removeQueries({ queryKey: occurrencesKey(id) });
        await queries.invalidateQueries({ queryKey: ["schedules", "list"] });
      }}
    >
      <p>It does not run again, and its list of runs is deleted. Its tasks stay, and running ones continue.</p>
    </DeleteButton>
  );
}
