/** The shapes of what a tenant does with apps: adding them, enabling actions, and what its agents may use. */
import { z } from "zod";
import { APP_LEVELS } from "../../core/apps/workspace/access.ts";
import { CHANGED_PARTS } from "../../core/apps/workspace/changes.ts";
import { MAX_ENABLED_ACTIONS, MAX_WORKSPACE_APPS } from "../../core/apps/workspace/workspace.ts";
import { SECURITY_LEVELS } from "../../core/tool/tool.ts";
import { effectSchema } from "../http/pending-schemas.ts";
import { optionalQuery } from "../http/list-query.ts";

const MAX_NAME = 200;
/** Switched actions of one agent. */
const MAX_PERMISSIONS = 2_000;
const appName = z.string().min(1).max(MAX_NAME).describe("The app's name, in any case.");
const actionName = z
  .string()
  .max(MAX_NAME)
  .regex(/^[A-Za-z0-9_]+$/, "has letters, digits and _ alone")
  .describe("The provider's name of the action, in any case, or that of its tool.");

export const addAppSchema = z.strictObject({ app_name: appName }).meta({ id: "AddAppInput" });

export const appChangeSchema = z
  .strictObject({ status: z.literal("success"), message: z.string(), app_name: z.string() })
  .meta({ id: "AppChange" });
export const addedAppSchema = appChangeSchema
  .extend({ status: z.enum(["success", "already_added"]) })
  .meta({ id: "AddedApp" });

export const enableSchema = z
  .strictObject({
    actions: z.array(actionName).max(MAX_ENABLED_ACTIONS).describe("All that are to be enabled; others are disabled."),
  })
  .meta({ id: "EnableActionsInput" });
export const enabledSchema = z
  .strictObject({ status: z.literal("success"), enabled_count: z.int(), app_name: z.string() })
  .meta({ id: "EnabledActions" });

const securitySchema = z.enum(SECURITY_LEVELS);
const schemaHash = z.string().max(MAX_NAME);

const overrideSchema = z.strictObject({
  effect: effectSchema.optional(),
  security: securitySchema.optional(),
  schema_hash: schemaHash
    .optional()
    .describe("It counts for the action as it is now alone; when omitted, also after a change."),
});
export const overridesSchema = z
  .strictObject({
    overrides: z
      .record(actionName, overrideSchema)
      .refine((given) => Object.keys(given).length <= MAX_ENABLED_ACTIONS, `has at most ${MAX_ENABLED_ACTIONS} actions`)
      .describe("By action. Replaces all earlier ones. Nothing else loosens what the catalogue says of an action."),
  })
  .meta({ id: "AppOverridesInput" });
export const overriddenSchema = z
  .strictObject({ status: z.literal("success"), overridden_count: z.int(), app_name: z.string() })
  .meta({ id: "AppOverrides" });

const computedSchema = z.strictObject({
  effect: effectSchema,
  security: securitySchema,
  because: z.string().describe("One sentence for people."),
});

export const overrideListSchema = z
  .strictObject({
    app_name: z.string(),
    overrides: z.array(
      z.strictObject({
        name: z.string(),
        display_name: z.string(),
        effect: effectSchema.nullable(),
        security: securitySchema.nullable(),
        schema_hash: z.string().nullable().describe("For which form of the action alone it counts; null: for any."),
        is_current: z.boolean().describe("False for an override of an earlier form of the action. It does not count."),
        computed: computedSchema.nullable().describe("What counts without it, and why; null if it is not offered."),
      }),
    ),
  })
  .meta({ id: "AppOverrideList" });

export const readingActionsSchema = z
  .strictObject({
    app_name: z.string(),
    actions: z.array(
      z.strictObject({
        name: z.string(),
        display_name: z.string(),
        has_read_scopes: z.boolean().describe("True if all its scopes only read, which is evidence for its name."),
        schema_hash: z.string(),
      }),
    ),
  })
  .meta({ id: "ReadingActions" });

const judgedSchema = z.strictObject({
  effect: effectSchema,
  security: securitySchema,
  description: z.string().nullable().describe("What models read of it; null if that did not change."),
});

export const appChangesSchema = z
  .strictObject({
    app_name: z.string(),
    hash: z.string().nullable().describe("Names these changes for an approval; null without any."),
    changed: z.array(
      z.strictObject({
        name: z.string(),
        display_name: z.string(),
        parts: z
          .array(z.enum(CHANGED_PARTS))
          .describe("`hints`: its title, tags or output, without an effect on its class or level."),
        before: judgedSchema.nullable().describe("As tasks have it; null if none has it."),
        after: judgedSchema,
      }),
    ),
    removed: z.array(z.string()).describe("Enabled actions that are no longer offered."),
  })
  .meta({ id: "AppChanges" });

export const approveSchema = z
  .strictObject({ hash: z.string().min(1).max(MAX_NAME) })
  .meta({ id: "ApproveChangesInput" });
export const approvedSchema = z
  .strictObject({
    status: z.literal("success"),
    approved_count: z.int(),
    removed_count: z.int(),
    app_name: z.string(),
  })
  .meta({ id: "ApprovedChanges" });

const assignmentSchema = z.strictObject({
  app_name: appName,
  level: z.enum(APP_LEVELS).describe("`read_only`: actions that only read. `list`: those in `actions`."),
  actions: z.array(actionName).max(MAX_ENABLED_ACTIONS).optional().describe("For the level `list` alone."),
  is_active: z.boolean(),
});
const permissionSchema = z.strictObject({ tool: actionName, is_active: z.boolean() });

export const agentParams = z.object({ id: z.string().describe("The agent's id, `agent_…`, or its name.") });

export const agentAppsInput = z
  .strictObject({
    assignments: z
      .array(assignmentSchema)
      .max(MAX_WORKSPACE_APPS)
      .describe("Empty: the agent may use every app that is added to the workspace."),
    permissions: z.array(permissionSchema).max(MAX_PERMISSIONS).describe("An action without an entry is on."),
  })
  .meta({ id: "AgentAppsInput" });
export const agentAppsSchema = z
  .strictObject({
    agent: z.string(),
    assignments: z.array(assignmentSchema.extend({ actions: z.array(z.string()) })).describe("By name."),
    permissions: z.array(permissionSchema).describe("By name."),
  })
  .meta({ id: "AgentApps" });

export const accessQuery = z.strictObject({
  agent: optionalQuery(z.string().max(MAX_NAME)).describe("The agent's id or name; the built-in one when omitted."),
  tool: z.string().min(1).max(MAX_NAME).describe("The tool's name, or the provider's name of an action."),
});
export const accessSchema = z
  .strictObject({
    allowed: z.boolean(),
    reason: z.string().nullable().describe("Why not, in one sentence; null if it is allowed."),
  })
  .meta({ id: "ToolAccess" });
