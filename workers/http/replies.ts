/**
 * Types what a route's handler may return, by the route's declaration: for each status, the body of its schema.
 * `App.openapi` refuses a handler whose reply lacks a field of the schema or has an extra one. In a union, a field of
 * any member counts as declared, as in TypeScript's own check of literals.
 */
import type { RouteConfig, RouteHandler } from "@hono/zod-openapi";
import type { Env } from "hono";
import type { z } from "zod";

/** Registers a route. The error for an undeclared field names its path. */
export type Register<AppEnv extends Env> = <R extends NamedRoute, Sent extends ReplyOf<R>>(
  route: R,
  handler: ((c: Parameters<RouteHandler<R, AppEnv>>[0]) => Sent | Promise<Sent>) &
    ([UndeclaredField<R, Sent>] extends [never] ? unknown : { "undeclared field": UndeclaredField<R, Sent> }),
) => void;

/** A route with its name in the OpenAPI document: `resource.verb`. */
type NamedRoute = RouteConfig & { readonly operationId: string };

/** A reply as Hono types it, from `c.json` and `c.body`. */
interface Reply<Data, Status, Format> {
  readonly _data: Data;
  readonly _status: Status;
  readonly _format: Format;
}

/** The replies that a route declares. Text and bytes are unchecked; a status without content has no body. */
type ReplyOf<R extends RouteConfig> = {
  [Status in StatusOf<R>]: R["responses"][Status] extends { readonly content: infer Content }
    ? JsonReply<Content, Status> | OtherReply<Content, Status> | EmptyReply<R["responses"][Status], Status>
    : Reply<null, Status, "body">;
}[StatusOf<R>];

type StatusOf<R extends RouteConfig> = keyof R["responses"] & number;

type JsonReply<Content, Status> =
  BodyOf<Content> extends infer Body
    ? [Body] extends [never]
      ? never
      : Reply<DeepReadonly<Body>, Status, "json">
    : never;

type EmptyReply<Response, Status> = Response extends { readonly "x-body-optional": true }
  ? Reply<null, Status, "body">
  : never;

/** A helper that returns bytes has the type `Response`. */
type OtherReply<Content, Status> =
  Exclude<keyof Content, "application/json"> extends never ? never : Reply<unknown, Status, "body" | "text"> | Response;

/** The body that the schema of a JSON reply admits; never if it has none. */
type BodyOf<Content> = Content extends {
  readonly "application/json": { readonly schema: infer Schema extends z.ZodType };
}
  ? z.output<Schema>
  : never;

type Plain = string | number | boolean | bigint | null | undefined;

/** Any JSON value. Its type is recursive, so it is not checked. */
type AnyJson = z.output<ReturnType<typeof z.json>>;

/** A type with readonly values. An optional field may be undefined, which JSON omits. */
type DeepReadonly<T> = AnyJson extends T
  ? unknown
  : T extends Plain
    ? T
    : T extends readonly unknown[]
      ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
      : { readonly [K in keyof T]: DeepReadonly<T[K]> | (Record<never, never> extends Pick<T, K> ? undefined : never) };

/** The paths of undeclared fields of a reply; never if it has none. */
type UndeclaredField<R extends RouteConfig, Sent> =
  Sent extends Reply<infer Data, infer Status, "json">
    ? Status extends StatusOf<R>
      ? R["responses"][Status] extends { readonly content: infer Content }
        ? Extra<BodyOf<Content>, Data, "", []>
        : never
      : never
    : never;

/** Maximum depth of the check. The deepest reply of the API has eight levels. */
type MaxDepth = 12;

type Extra<Shape, T, Path extends string, Depth extends readonly unknown[]> = Depth["length"] extends MaxDepth
  ? never
  : AnyJson extends Shape
    ? never
    : ExtraOf<Shape, T, Path, Depth>;

type ExtraOf<Shape, T, Path extends string, Depth extends readonly unknown[]> = T extends Plain
  ? never
  : T extends readonly (infer Item)[]
    ? Extra<Extract<Shape, readonly unknown[]>[number], Item, `${Path}[]`, [...Depth, 0]>
    : {
        [K in keyof T & string]: K extends FieldOf<Shape>
          ? Extra<ValueOf<Shape, K>, T[K], `${Path}.${K}`, [...Depth, 0]>
          : `${Path}.${K}`;
      }[keyof T & string];

/** The fields of the objects of a shape. */
type FieldOf<Shape> = Shape extends Plain | readonly unknown[] ? never : keyof Shape;

type ValueOf<Shape, K> = Shape extends Plain | readonly unknown[] ? never : K extends keyof Shape ? Shape[K] : never;
