/** Questions and approvals of a task, with their outcomes. */
import { BellRing, Hand, MessageCircleQuestion, Plug } from "lucide-react";
import { AccountName } from "../../../pending/account-line.tsx";
import { Message } from "../../../ui/message.tsx";
import { ClockTime } from "../../../ui/time.tsx";
import { ValueBlock } from "../../../ui/value-block.tsx";
import { oneLine } from "../../../ui/visible-text.ts";
import { toolName } from "./call-words.ts";
import { Bubble, ICON, Line, named } from "./log-line.tsx";
import type { ApprovalItem, ConnectionItem, QuestionItem } from "./timeline-items.ts";

export function Question({ item }: { readonly item: QuestionItem }) {
  const { id, query, choices, person, outcome, answer, by, settledAt } = item;
  const asked = person === null ? "" : ` ${oneLine(person, 80)}`;
  // Its card, further down the page, has the form.
  if (outcome === "open" && id !== null)
    return (
      <Line icon={<MessageCircleQuestion aria-hidden className={ICON} />} tone="text-warn">
        Asks{asked === "" ? " a person" : asked}: {oneLine(query, 160)}
      </Line>
    );
  return (
    <Bubble
      title={id === null ? `Told${asked === "" ? " people" : asked}` : `Asked${asked === "" ? " a person" : asked}`}
      icon={
        id === null ? <BellRing aria-hidden className={ICON} /> : <MessageCircleQuestion aria-hidden className={ICON} />
      }
    >
      <Message text={query} />
      {choices.length === 0 ? null : (
        <ul aria-label="Choices" className="flex flex-wrap gap-1.5 text-sm">
          {choices.map((choice, at) => (
            <li key={at} className="rounded-full border border-edge px-2.5 py-0.5">
              <bdi>{oneLine(choice, 200)}</bdi>
            </li>
          ))}
        </ul>
      )}
      {id === null ? null : outcome === "answered" ? (
        <div className="border-t border-line pt-2">
          <Settled who={by} did="Answered" at={settledAt} />
          <div className="mt-1">
            <Message isPlain text={answer ?? ""} />
          </div>
        </div>
      ) : (
        <p className="text-sm text-quiet">{unsettled(outcome, "Nobody answered in time.")}</p>
      )}
    </Bubble>
  );
}

export function Approval({ item }: { readonly item: ApprovalItem }) {
  const { tool, why, outcome, by, reason, settledAt, newArguments } = item;
  if (outcome === "open")
    return (
      <Line icon={<Hand aria-hidden className={ICON} />} tone="text-warn">
        Asks for approval of {named(toolName(tool))}
      </Line>
    );
  const isDecided = outcome === "approved" || outcome === "refused";
  return (
    <Bubble title={<>Asked for approval of {named(toolName(tool))}</>} icon={<Hand aria-hidden className={ICON} />}>
      {why === null ? null : <p className="text-sm text-quiet">{oneLine(why, 500)}</p>}
      {isDecided ? (
        <div className="flex flex-col gap-2 border-t border-line pt-2">
          <Settled who={by} did={outcome === "approved" ? "Approved" : "Refused"} at={settledAt} />
          {reason === null ? null : <Message isPlain text={reason} />}
          {newArguments === undefined ? null : (
            <>
              <p className="text-sm">With other arguments than were asked for:</p>
              <ValueBlock value={newArguments} label="Arguments that were approved" />
            </>
          )}
        </div>
      ) : (
        <p className="text-sm text-quiet">{unsettled(outcome, "Nobody decided in time.")}</p>
      )}
    </Bubble>
  );
}

export function Connection({ item: { app, outcome, account } }: { readonly item: ConnectionItem }) {
  const icon = <Plug aria-hidden className={ICON} />;
  if (outcome === "open")
    return (
      <Line icon={icon} tone="text-warn">
        Needs an account of {named(app)}
      </Line>
    );
  return (
    <Line icon={icon}>
      {outcome === "closed" || account === null ? (
        <>Needed an account of {named(app)}. None was connected.</>
      ) : (
        <>
          Acts through <AccountName words={account} />
        </>
      )}
    </Line>
  );
}

function unsettled(outcome: string, expired: string): string {
  return outcome === "expired" ? expired : "The task ended before it was settled.";
}

function Settled({ who, did, at }: { readonly who: string | null; readonly did: string; readonly at: string | null }) {
  return (
    <p className="text-sm text-quiet">
      {did} by {named(who ?? "a person")}
      {at === null ? null : (
        <>
          , <ClockTime at={at} />
        </>
      )}
    </p>
  );
}
