/** The form of a schedule, new or to be changed, with what it comes to on a calendar. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useRef } from "react";
import { toApiError } from "../../api/problem.ts";
import { TextField } from "../../ui/field.tsx";
import { type Faults, focusFault } from "../../ui/faults.ts";
import { Form } from "../../ui/form.tsx";
import { Card, Section } from "../../ui/page.tsx";
import type { PartProps } from "./form-part.ts";
import { Preview } from "./preview.tsx";
import { whenInWords } from "./rhythm.ts";
import { RuleFields } from "./rule-fields.tsx";
import { readTiming, type ScheduleDraft, type Timing } from "./schedule-draft.ts";
import { nextDueQuery } from "./schedule-queries.ts";
import { useDebounced } from "./use-debounced.ts";
import { WhenFields } from "./when-fields.tsx";
import { WorkFields } from "./work-fields.tsx";

/** How long the fields stand still before the API is asked what they come to. */
const STILL_MS = 400;

interface ScheduleFormProps extends PartProps {
  /** False: something has to be mended first. */
  readonly onSubmit: () => boolean;
  /** The buttons, and what was refused. */
  readonly children: ReactNode;
}

export function ScheduleForm({ onSubmit, children, draft, onChange, faults: given }: ScheduleFormProps) {
  const place = useRef<HTMLDivElement>(null);
  const settled = useDebounced(draft, STILL_MS);
  const timing = readTiming(settled);
  const faults = { ...useTimingFaults(timing.ok ? timing.value : null), ...given };
  const part = { draft, onChange, faults };
  const submit = (): void => {
    if (!onSubmit()) focusFault(place.current);
  };
  return (
    <div ref={place}>
      <Form onSubmit={submit} noValidate className="flex flex-col gap-6">
        <Card className="flex flex-col gap-4">
          <TextField
            label="Name"
            required
            dir="auto"
            autoComplete="off"
            maxLength={200}
            value={draft.name}
            onChange={({ target }) => onChange({ name: target.value })}
            error={faults["name"]}
          />
          <WorkFields {...part} />
        </Card>
        <Section title="When">
          <Card className="flex flex-col gap-5">
            <WhenFields {...part} />
            <InWords settled={settled} />
            {timing.ok ? (
              <Preview timing={timing.value} />
            ) : (
              <p className="text-quiet">{Object.values(timing.faults)[0]} Then a calendar shows here when it is due.</p>
            )}
          </Card>
        </Section>
        <Section title="Missed and overlapping runs">
          <Card>
            <RuleFields {...part} />
          </Card>
        </Section>
        {children}
      </Form>
    </div>
  );
}

function InWords({ settled }: { readonly settled: ScheduleDraft }) {
  const timing = readTiming(settled);
  if (!timing.ok) return null;
  const { when, time_zone = "UTC" } = timing.value;
  return (
    <p role="status" className="font-medium">
      It is due {whenInWords(when, time_zone)}.
    </p>
  );
}

/** What the API finds wrong with the fields that say when it is due. */
function useTimingFaults(timing: Timing | null): Faults {
  const { error } = useQuery({
    ...nextDueQuery(timing ?? { when: { kind: "cron", expression: "@daily" } }),
    enabled: timing !== null,
  });
  return timing === null || error === null ? {} : toApiError(error).fields;
}
