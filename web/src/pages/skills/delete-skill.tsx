import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { answered, api } from "../../api/client.ts";
import type { Skill } from "../../api/types.generated.ts";
import { Confirm } from "../../ui/dialog.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";

interface DeleteSkillProps {
  readonly skill: Skill;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function DeleteSkill({ skill: { name, versions }, isOpen, onClose }: DeleteSkillProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useToast();
  const deleting = useMutation({
    mutationFn: async () => await answered(api.DELETE("/v1/skills/{name}", { params: { path: { name } } })),
    onSuccess: async () => {
      say(`${name} is deleted.`);
      await navigate({ to: "/skills" });
      queries.removeQueries({ queryKey: ["skills", name] });
      await queries.invalidateQueries({ queryKey: ["skills", "list"] });
    },
  });
  return (
    <Confirm
      isOpen={isOpen}
      title={`Delete ${name}?`}
      action="Delete the skill"
      isBusy={deleting.isPending}
      onConfirm={() => deleting.mutate()}
      onClose={onClose}
    >
      <p>
        {versions === 1 ? "It is permanently deleted." : `All ${versions} versions are permanently deleted.`} Running
        tasks keep it to their end. When Otto ships a skill of this name, that one is used again.
      </p>
      {deleting.isError ? <ProblemNotice error={deleting.error} /> : null}
    </Confirm>
  );
}
