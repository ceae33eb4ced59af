/**
 * How mail leaves and comes in, what came in and what it came to, and on a machine without a provider, the mails that were
 * kept in place of sending them.
 */
import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { answered, api } from "../../api/client.ts";
import type { KeptMail, MailSettings } from "../../api/types.generated.ts";
import { ReceivedList } from "../../received/received-list.tsx";
import { bytes } from "../../ui/amounts.ts";
import { CodeBlock } from "../../ui/code.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { Empty, Notice, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { visibleText } from "../../ui/visible-text.ts";
import { Name } from "../../ui/name.tsx";

const PROVIDERS: Readonly<Record<MailSettings["provider"], string>> = {
  resend: "Mail leaves by Resend.",
  smtp: "Mail leaves by a server of SMTP.",
  outbox: "No provider is set: mail is kept here, and none leaves.",
};

export function MailPage() {
  const settings = useQuery({ queryKey: ["mail"], queryFn: async () => await answered(api.GET("/v1/mail")) });
  const outbox = useQuery({
    queryKey: ["mail", "outbox"],
    queryFn: async () => await answered(api.GET("/v1/mail/outbox")),
    enabled: settings.data?.provider === "outbox",
  });
  return (
    <Page
      title="Mail"
      lead="Agents send mail with a tool; results and questions reach people by mail; answers come back to a signed address."
    >
      {settings.isPending ? <Skeleton rows={1} height="h-20" /> : null}
      {settings.error ? <ProblemNotice error={settings.error} onRetry={() => void settings.refetch()} /> : null}
      {settings.data === undefined ? null : (
        <Notice tone={settings.data.provider === "outbox" ? "warn" : "info"} title={PROVIDERS[settings.data.provider]}>
          <Facts>
            <Fact name="From">{settings.data.from}</Fact>
            <Fact name="Mail to Otto">{settings.data.address ?? "No domain is set for mail that comes in."}</Fact>
          </Facts>
        </Notice>
      )}
      {settings.data?.provider === "outbox" ? (
        <Section title="Stored mail">
          {outbox.isPending ? <Skeleton /> : null}
          {outbox.error ? <ProblemNotice error={outbox.error} onRetry={() => void outbox.refetch()} /> : null}
          {outbox.data?.data.length === 0 ? (
            <Empty title="No stored mail yet">
              A task that sends a mail, or a result that goes to a person, shows here.
            </Empty>
          ) : null}
          <ul className="flex flex-col gap-3">
            {outbox.data?.data.map((mail) => (
              <li key={mail.id}>
                <Mail mail={mail} />
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
      {settings.data === undefined ? null : (
        <Section title="Received mail">
          <Received address={settings.data.address} />
        </Section>
      )}
    </Page>
  );
}

function Received({ address }: { readonly address: string | null }) {
  return (
    <ReceivedList
      queryKey={["mail", "received"]}
      read={async (cursor) => await answered(api.GET("/v1/mail/received", { params: { query: { cursor } } }))}
      again={async (message, headers) =>
        await answered(api.POST("/v1/mail/received/{message}/replay", { params: { path: { message } }, headers }))
      }
      caption="Received mail, the latest first"
      isMail
      empty={
        <Empty title="No received mail yet">
          {address === null ? (
            "Nothing can: the operator of this Otto has set no domain whose mail comes here."
          ) : (
            <>
              Write to <Name className="[overflow-wrap:anywhere]">{address}</Name> from the address of somebody under
              People, with a subject that begins with “New Task”. Mail of the last 30 days appears here, with its task
              or the reason why it was refused.
            </>
          )}
        </Empty>
      }
    />
  );
}

function Mail({ mail: { to, cc, subject, text, attachments, kept_at } }: { readonly mail: KeptMail }) {
  return (
    <details className="group rounded-lg border border-line bg-surface">
      <summary className="flex items-start gap-2 p-3">
        <ChevronRight aria-hidden className="mt-1 size-4 shrink-0 text-quiet group-open:rotate-90" />
        <span className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-1 [overflow-wrap:anywhere]">
          <bdi className="font-medium">{subject === "" ? "(no subject)" : visibleText(subject)}</bdi>
          <span className="text-sm text-quiet">
            to <Name>{to.join(", ")}</Name>
            {cc.length === 0 ? null : (
              <>
                , copy to <Name>{cc.join(", ")}</Name>
              </>
            )}
            , <Time at={kept_at} />
          </span>
        </span>
      </summary>
      <div className="flex flex-col gap-3 border-t border-line p-3">
        <CodeBlock text={text} label="the text" />
        {attachments.length === 0 ? null : (
          <ul aria-label="Attachments" className="list-disc pl-5">
            {attachments.map(({ filename, size, content_type }) => (
              <li key={filename} className="[overflow-wrap:anywhere]">
                <bdi>{visibleText(filename)}</bdi>{" "}
                <span className="text-sm text-quiet">{`${bytes(size)}, ${content_type}`}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </details>
  );
}
