/** Who may use a database or a codebase, in a cell of a list or among the facts of one. */
import { useQuery } from "@tanstack/react-query";
import { peopleQuery } from "../api/people.ts";
import { Badge } from "../ui/badge.tsx";
import { Name } from "../ui/name.tsx";
import { describeUsers, isForNobody, type Users } from "./users-draft.ts";

const UNKNOWN_PERSON = "a person who was deleted";

interface UserWordsProps {
  readonly users: Users;
  readonly className?: string;
}

export function UserWords({ users, className = "flex flex-col items-start gap-1" }: UserWordsProps) {
  const { data: people, isPending } = useQuery({ ...peopleQuery, enabled: users.people !== null });
  const nameOf = (id: string): string =>
    people?.find((person) => person.id === id)?.name ?? (isPending ? "…" : UNKNOWN_PERSON);
  return (
    <span className={className}>
      {isForNobody(users) ? <Badge tone="warn">Nobody</Badge> : null}
      {describeUsers(users, nameOf).map((line) => (
        <Name key={line} className="text-sm [overflow-wrap:anywhere]">
          {line}
        </Name>
      ))}
    </span>
  );
}
