/** How Otto reaches a server. Values of headers, variables and tokens are never shown. */
import type { McpServerDetail } from "../../api/types.generated.ts";
import { Fact, Facts } from "../../ui/facts.tsx";
import { Card, Section } from "../../ui/page.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { isPerPerson } from "./server-fields.ts";
import { serverPlace } from "./server-state.tsx";
import { Name } from "../../ui/name.tsx";

const GRANTS: Readonly<Record<string, string>> = {
  authorization_code: "by the consent of a person (OAuth)",
  client_credentials: "as a client with a secret (OAuth)",
};

export function ServerAccess({ server }: { readonly server: McpServerDetail }) {
  const { headers, oauth, process: program, trusted, timeout_ms, protocol_version, checked_at, updated_at } = server;
  return (
    <Section title="Connection">
      <Card>
        <Facts>
          <Fact name={program === null ? "Address" : "Command"}>
            <Name className="font-mono text-sm">{serverPlace(server)}</Name>
          </Fact>
          <Fact name="Signs in">{oauth === null ? null : (GRANTS[oauth.grant] ?? oauth.grant)}</Fact>
          <Fact name="Account">
            {oauth === null ? null : isPerPerson(server) ? "of each person" : "one for everyone"}
          </Fact>
          <Fact name="Client id">{oauth?.client_id}</Fact>
          <Fact name="Scope">{oauth?.scope}</Fact>
          <Fact name="Headers">{headers.length === 0 ? null : headers.join(", ")}</Fact>
          {program === null ? null : (
            <>
              <Fact name="Variables">{program.env.length === 0 ? null : program.env.join(", ")}</Fact>
              <Fact name="May reach">{program.network.length === 0 ? "nothing" : program.network.join(", ")}</Fact>
            </>
          )}
          <Fact name="Believed">
            {trusted ? "yes: what it says of its tools counts" : "no: each tool counts as dangerous"}
          </Fact>
          <Fact name="One call">at most {timeout_ms / 1000} s</Fact>
          <Fact name="Protocol">{protocol_version}</Fact>
          <Fact name="Refreshed">{checked_at === null ? null : <ExactTime at={checked_at} />}</Fact>
          <Fact name="Changed">
            <ExactTime at={updated_at} />
          </Fact>
        </Facts>
      </Card>
    </Section>
  );
}
