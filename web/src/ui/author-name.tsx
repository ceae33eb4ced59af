/** Who added something: an agent by its name, or somebody with an API key. */
import { Link } from "@tanstack/react-router";
import { useAuthor } from "../api/author.ts";
import { Name } from "./name.tsx";

export function AuthorName({ id }: { readonly id: string }) {
  const { kind, name } = useAuthor(id);
  if (kind === "agent")
    return (
      <Link to="/agents/$agentId" params={{ agentId: id }} className="text-accent underline">
        the agent <Name>{name}</Name>
      </Link>
    );
  return (
    <>
      {kind === "key" ? "somebody with the key " : ""}
      <Name>{kind === "key" ? `“${name}”` : name}</Name>
    </>
  );
}
