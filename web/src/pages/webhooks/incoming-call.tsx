/** How to call an incoming webhook: settings of the sender, or a call to copy. */
import type { IncomingWebhook } from "../../api/types.generated.ts";
import { CodeBlock } from "../../ui/code.tsx";
import { Section } from "../../ui/page.tsx";
import { indexesCodebases, USUAL_HEADER } from "./incoming-draft.ts";

export function IncomingCall({ hook }: { readonly hook: IncomingWebhook }) {
  const { type, url } = hook;
  return (
    <>
      <Section title="Its address">
        <CodeBlock text={url} label="the address" />
      </Section>
      {type === "github" ? <GitHub hook={hook} /> : null}
      {type === "stripe" ? <Stripe hook={hook} /> : null}
      {type === "generic" || type === "standard" ? (
        <Section title="A call">
          <p className="text-quiet">
            {type === "generic"
              ? "The signature is the HMAC-SHA-256 of the body, in hex. Idempotency-Key names the delivery: the same one makes one task."
              : "As the specification of Standard Webhooks says: the id, the moment and the body are signed. Libraries of it do this for you."}
          </p>
          <CodeBlock text={type === "generic" ? genericCall(hook) : standardCall(url)} label="a call with curl" />
        </Section>
      ) : null}
      {indexesCodebases(hook) ? null : (
        <Section title="With a key instead">
          <p className="text-quiet">
            With a key that may create tasks, a call needs no signature and names this webhook.
          </p>
          <CodeBlock text={keyedCall(hook)} label="a call with a key" />
        </Section>
      )}
    </>
  );
}

function GitHub({ hook }: { readonly hook: IncomingWebhook }) {
  return (
    <Section title="In GitHub">
      <ol className="list-decimal pl-5">
        <li>Repository or organisation, Settings, Webhooks, “Add webhook”.</li>
        <li>Payload URL: the address above. Content type: application/json.</li>
        <li>Secret: the one shown when this webhook was created. If it is lost, set a new one in the settings.</li>
        <li>{describeEvents(hook)}</li>
      </ol>
      <p className="text-quiet">GitHub sends a ping at once. It appears under received calls and creates no task.</p>
    </Section>
  );
}

function Stripe({ hook }: { readonly hook: IncomingWebhook }) {
  return (
    <Section title="In Stripe">
      <ol className="list-decimal pl-5">
        <li>Developers, Webhooks, “Add endpoint”: the address above.</li>
        <li>{describeEvents(hook)}</li>
        <li>
          Stripe shows its signing secret: put it into the settings of this webhook. Until then calls are refused.
        </li>
      </ol>
    </Section>
  );
}

function describeEvents({ events, ...hook }: IncomingWebhook): string {
  if (indexesCodebases(hook)) return "Choose the event push.";
  return events === undefined
    ? "Choose the events that should become tasks."
    : `Choose the events: ${events.join(", ")}.`;
}

function genericCall({ url, signature_header = USUAL_HEADER }: IncomingWebhook): string {
  return `SECRET='the secret'
BODY='{"order": 7}'
SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/.* //')
curl -s '${url}' \\
  -H "${signature_header}: sha256=$SIGNATURE" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: order-7' \\
  -d "$BODY"
`;
}

function standardCall(url: string): string {
  return `SECRET='whsec_…'
BODY='{"type": "order.paid", "data": {"order": 7}}'
ID='order-7-paid'
NOW=$(date +%s)
KEY=$(printf %s "\${SECRET#whsec_}" | base64 -d | od -An -tx1 | tr -d ' \\n')
SIGNATURE=$(printf %s "$ID.$NOW.$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64)
curl -s '${url}' \\
  -H "webhook-id: $ID" -H "webhook-timestamp: $NOW" -H "webhook-signature: v1,$SIGNATURE" \\
  -H 'Content-Type: application/json' \\
  -d "$BODY"
`;
}

function keyedCall({ url, name }: IncomingWebhook): string {
  return `curl -s '${new URL(url).origin}/webhook/${name}' \\
  -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: order-7' \\
  -d '{"order": 7}'
`;
}
