/** What keeps a server from being used, and the way out of it: an error, or a consent that a person has to give. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ExternalLink } from "lucide-react";
import type { McpServerDetail } from "../../api/types.generated.ts";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { Notice, ProblemNotice } from "../../ui/notice.tsx";
import { consentAddress } from "./consent-address.ts";
import { isPerPerson } from "./server-fields.ts";
import { useLook } from "./look.ts";
import { consentQuery } from "./server-queries.ts";
import { Name } from "../../ui/name.tsx";

export function ServerTrouble({ server }: { readonly server: McpServerDetail }) {
  const { name, status, error, stale } = server;
  const look = useLook(name);
  const again = (
    <Button size="small" isBusy={look.isPending} onClick={() => look.mutate()}>
      Refresh
    </Button>
  );
  if (status === "authorization_needed" && isPerPerson(server)) return <OwnAccount server={server} />;
  if (status === "authorization_needed" && server.oauth?.grant !== "client_credentials")
    return <Consent server={server} />;
  if (status === "authorization_needed" || status === "failed")
    return (
      <Notice
        tone="danger"
        title={status === "failed" ? "Couldn't reach the server" : "It does not let Otto in"}
        action={again}
      >
        <p dir="auto">{error ?? "It did not say why."}</p>
        <p>
          {server.tool_count === 0
            ? "Agents have no tools of it."
            : "Agents keep the tools that were agreed to; their calls fail meanwhile."}
        </p>
      </Notice>
    );
  if (stale)
    return (
      <Notice title="The server reports changed tools" action={again}>
        Refresh to see what it lists.
      </Notice>
    );
  return null;
}

/** Its tools are read through the account of who refreshes it. */
function OwnAccount({ server: { name, error } }: { readonly server: McpServerDetail }) {
  const look = useLook(name);
  return (
    <Notice
      tone="warn"
      title="Connect your account, then refresh"
      action={
        <div className="flex flex-wrap items-center gap-2">
          <Link to="/connections" className={buttonClasses("primary")}>
            Connections
          </Link>
          <Button isBusy={look.isPending} onClick={() => look.mutate()}>
            Refresh
          </Button>
        </div>
      }
    >
      <p>
        <Name>{error ?? "The server’s tools are read through your account."}</Name>
      </p>
      {look.isError ? <ProblemNotice error={look.error} /> : null}
    </Notice>
  );
}

function Consent({ server: { name, error } }: { readonly server: McpServerDetail }) {
  const { data: address = null } = useQuery(consentQuery(name));
  const look = useLook(name);
  const target = consentAddress(address);
  return (
    <Notice
      tone="warn"
      title="A person has to authorize Otto"
      action={
        <div className="flex flex-wrap items-center gap-2">
          {target === null ? null : (
            <a href={target.href} target="_blank" rel="noopener noreferrer" className={buttonClasses("primary")}>
              <ExternalLink aria-hidden className="size-4" />
              Give consent
            </a>
          )}
          <Button isBusy={look.isPending} onClick={() => look.mutate()}>
            {target === null ? "Get link" : "New link"}
          </Button>
        </div>
      }
    >
      {target !== null ? (
        <p>
          It is given at <Name className="font-medium">{target.host}</Name>, in another window, within ten minutes. This
          page updates automatically.
        </p>
      ) : (
        <p>
          The server wants a person’s consent.
          {error === null ? null : (
            <>
              {" "}
              <Name>{error}</Name>
            </>
          )}
        </p>
      )}
      {look.isError ? <ProblemNotice error={look.error} /> : null}
    </Notice>
  );
}
