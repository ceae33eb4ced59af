import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { answered, api } from "../../api/client.ts";
import { useAgentNames, useKeyNames } from "../../api/names.ts";
import { toApiError } from "../../api/problem.ts";
import type { Budget } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { readNumber } from "../../ui/typed-number.ts";

type Period = NonNullable<Budget["limit"]>["period"];
type ReadLimit = ReturnType<typeof readNumber>;
const PERIODS: readonly { readonly period: Period; readonly label: string }[] = [
  { period: "day", label: "A day" },
  { period: "month", label: "A month" },
  { period: "total", label: "Total" },
];

/** Sets, changes or takes away the limit of an account. */
export function LimitDialog({
  budget,
  onClose,
}: {
  readonly budget: Budget | "new" | null;
  readonly onClose: () => void;
}) {
  return (
    <Dialog isOpen={budget !== null} title="Limit" onClose={onClose}>
      <LimitForm budget={budget === "new" ? null : budget} onClose={onClose} />
    </Dialog>
  );
}

function LimitForm({ budget, onClose }: { readonly budget: Budget | null; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const say = useToast();
  const [agents, keys] = [useAgentNames(), useKeyNames()];
  const [account, setAccount] = useState(budget?.account ?? "tenant");
  const [tokens, setTokens] = useState(budget?.limit?.max_tokens?.toString() ?? "");
  const [money, setMoney] = useState(budget?.limit?.max_cost_usd?.toString() ?? "");
  const [period, setPeriod] = useState<Period>(budget?.limit?.period ?? "month");
  const after = async (word: string): Promise<void> => {
    onClose();
    say(word);
    await queries.invalidateQueries({ queryKey: ["budgets"] });
  };
  const [tokenLimit, moneyLimit] = [readNumber(tokens, { isWhole: true }), readNumber(money, { isWhole: false })];
  const setting = useMutation({
    mutationFn: async () => {
      const body = { max_tokens: readLimitValue(tokenLimit), max_cost_usd: readLimitValue(moneyLimit), period };
      return await answered(api.PUT("/v1/budgets/{account}", { params: { path: { account } }, body }));
    },
    onSuccess: async () => await after("The limit holds."),
  });
  const removing = useMutation({
    mutationFn: async () => await answered(api.DELETE("/v1/budgets/{account}", { params: { path: { account } } })),
    onSuccess: async () => await after("The limit is taken away."),
  });
  const faults = setting.isError ? toApiError(setting.error).fields : {};
  const faultOf = (read: ReadLimit, field: string): string | undefined =>
    read.kind === "fault" ? read.fault : faults[field];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!setting.isPending && tokenLimit.kind !== "fault" && moneyLimit.kind !== "fault") setting.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <SelectField
        label="Account"
        value={account}
        disabled={budget !== null}
        onChange={({ target }) => setAccount(target.value)}
      >
        <option value="tenant">The whole tenant</option>
        <optgroup label="Agents">{[...agents].map(([id, name]) => option(id, name))}</optgroup>
        <optgroup label="Keys">{[...keys].map(([id, name]) => option(id, name))}</optgroup>
        {budget === null || budget.account === "tenant" || agents.has(budget.account) || keys.has(budget.account)
          ? null
          : option(budget.account, budget.account)}
      </SelectField>
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField
          label="Tokens"
          inputMode="numeric"
          placeholder="No limit"
          value={tokens}
          onChange={({ target }) => setTokens(target.value)}
          error={faultOf(tokenLimit, "max_tokens")}
        />
        <TextField
          label="Money in US$"
          inputMode="decimal"
          placeholder="No limit"
          value={money}
          onChange={({ target }) => setMoney(target.value)}
          error={faultOf(moneyLimit, "max_cost_usd")}
        />
        <SelectField
          label="Period"
          value={period}
          onChange={({ target }) => setPeriod(PERIODS.find((one) => one.period === target.value)?.period ?? "month")}
        >
          {PERIODS.map(({ period: value, label }) => option(value, label))}
        </SelectField>
      </div>
      <p className="text-sm text-quiet">
        Tasks that have no room wait for others’ reservations, and fail with “budget exceeded” when it is used up. The
        cost of a model without a known price counts as tokens alone.
      </p>
      {setting.isError ? <ProblemNotice error={setting.error} /> : null}
      {removing.isError ? <ProblemNotice error={removing.error} /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        {budget?.limit == null ? null : (
          <Button look="danger" isBusy={removing.isPending} onClick={() => removing.mutate()} className="mr-auto">
            Remove
          </Button>
        )}
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="primary"
          type="submit"
          isBusy={setting.isPending}
          disabled={tokenLimit.kind === "none" && moneyLimit.kind === "none"}
        >
          Set the limit
        </Button>
      </div>
    </form>
  );
}

function option(value: string, label: string) {
  return (
    <option key={value} value={value}>
      {label}
    </option>
  );
}

/** Null without a limit. */
function readLimitValue(read: ReadLimit): number | null {
  return read.kind === "number" ? read.value : null;
}
