/** Sets the effect and the risk of an action, in place of those that were computed. For administrators. */
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { AppAction, EffectClass, MarketplaceApp, SecurityLevel } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/field.tsx";
import { ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { honestProse } from "../../ui/visible-text.ts";
import { getEffectWording, getLevelWording } from "../tools/tool-words.ts";
import { overridesQuery } from "./app-queries.ts";
import { ComputedClass } from "./computed-class.tsx";
import { EFFECTS, LEVELS, type Override, useOverrides } from "./overrides.ts";

interface OverrideProps {
  readonly app: MarketplaceApp;
  readonly action: AppAction;
}

export function OverrideButton({ app, action }: OverrideProps) {
  const [isOpen, setOpen] = useState(false);
  const title = `Effect and risk of ${action.display_name}`;
  return (
    <>
      <Button
        size="small"
        aria-label={honestProse(`Change the effect and risk of ${action.display_name}`)}
        onClick={() => setOpen(true)}
      >
        Change
      </Button>
      <Dialog isOpen={isOpen} title={title} onClose={() => setOpen(false)}>
        <CurrentOverride app={app} action={action} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function CurrentOverride({ app, action, onClose }: OverrideProps & { readonly onClose: () => void }) {
  const { data, error, refetch } = useQuery(overridesQuery(app.app_name));
  if (data !== undefined) {
    const override = data.find(({ name, is_current: isCurrent }) => name === action.name && isCurrent) ?? null;
    return <OverrideForm app={app} action={action} override={override} onClose={onClose} />;
  }
  return error === null ? (
    <Skeleton rows={2} label="Loading the overrides" />
  ) : (
    <ProblemNotice error={error} doing="Couldn't load the overrides" onRetry={() => void refetch()} />
  );
}

interface FormProps extends OverrideProps {
  /** The present one; null without one. */
  readonly override: Override | null;
  readonly onClose: () => void;
}

function OverrideForm({ app, action, override, onClose }: FormProps) {
  const [effect, setEffect] = useState<EffectClass | null>(override?.effect ?? null);
  const [security, setSecurity] = useState<SecurityLevel | null>(override?.security ?? null);
  const say = useToast();
  const saving = useOverrides(app.app_name, () => {
    onClose();
    say(effect === null && security === null ? "The override is removed." : "The override is saved.");
  });
  const computed = override?.computed ?? action;
  const isSame = effect === (override?.effect ?? null) && security === (override?.security ?? null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (saving.isPending || isSame) return;
    const set = { ...(effect === null ? {} : { effect }), ...(security === null ? {} : { security }) };
    saving.mutate({ [action.name]: effect === null && security === null ? null : set });
  };
  const effects = action.is_destructive ? EFFECTS.filter((one) => one !== "none") : EFFECTS;
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-quiet">
        <ComputedClass computed={computed} />
      </p>
      <SelectField
        label="Effect"
        hint={getEffectWording(effect ?? computed.effect).meaning}
        value={effect ?? ""}
        onChange={({ target }) => setEffect(EFFECTS.find((one) => one === target.value) ?? null)}
      >
        <option value="">As computed</option>
        {effects.map((one) => (
          <option key={one} value={one}>
            {getEffectWording(one).word}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Risk"
        hint={getLevelWording(security ?? computed.security).meaning}
        value={security ?? ""}
        onChange={({ target }) => setSecurity(LEVELS.find((one) => one === target.value) ?? null)}
      >
        <option value="">As computed</option>
        {LEVELS.map((one) => (
          <option key={one} value={one}>
            {getLevelWording(one).word}
          </option>
        ))}
      </SelectField>
      <p className="text-sm text-quiet">
        A stricter override applies to running tasks within seconds. A looser one applies to new tasks.
      </p>
      {saving.isError ? <ProblemNotice error={saving.error} doing="Couldn't save" /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={saving.isPending} disabled={isSame}>
          Save
        </Button>
      </div>
    </form>
  );
}
