import { CodeBlock } from "../../ui/code.tsx";
import { Section } from "../../ui/page.tsx";

const WITH_A_LIBRARY = `import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.OTTO_WEBHOOK_SECRET);

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const event = webhook.verify(Buffer.concat(chunks).toString(), request.headers);
    console.log(request.headers["webhook-id"], event.type, event.data);
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
}).listen(8080);
`;

const BY_HAND = `signed    = webhook-id + "." + webhook-timestamp + "." + body
key       = base64-decode(what stands after "whsec_" in the secret)
expected  = "v1," + base64(HMAC-SHA-256(key, signed))
genuine   = one of the signatures in webhook-signature, which blanks
            separate, is the expected one (compare in constant time),
            and webhook-timestamp is at most five minutes away
`;

const HEADERS = [
  { name: "webhook-id", says: "Names the delivery: the same on every try. Remember it, since one may come twice." },
  { name: "webhook-timestamp", says: "When this try was made, in seconds since 1970." },
  { name: "webhook-signature", says: "One signature or, while a replaced secret still signs, several." },
];

/** How a program knows that a request is Otto's, and what its answers mean. */
export function WebhookVerify() {
  return (
    <>
      <Section title="Headers of every request">
        <dl className="flex flex-col gap-2">
          {HEADERS.map(({ name, says }) => (
            <div key={name} className="grid gap-x-4 sm:grid-cols-[12rem_1fr]">
              <dt className="font-mono text-sm">{name}</dt>
              <dd>{says}</dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section title="With a library of Standard Webhooks">
        <p className="text-quiet">
          Give it the bytes that came: JSON that was read and written again is another text. There are libraries for
          most languages; this is JavaScript.
        </p>
        <CodeBlock text={WITH_A_LIBRARY} label="a receiver in JavaScript" />
      </Section>
      <Section title="By hand">
        <CodeBlock text={BY_HAND} label="how a signature is made" />
      </Section>
      <Section title="What your answer means">
        <ul className="list-disc pl-5">
          <li>Any 2xx within 15 seconds: it is delivered. Answer first, then work.</li>
          <li>410: Otto switches the webhook off.</li>
          <li>429 or 503 with Retry-After: nothing is sent before that.</li>
          <li>Anything else, or nothing: it is tried again, ten times over three days.</li>
        </ul>
      </Section>
    </>
  );
}
