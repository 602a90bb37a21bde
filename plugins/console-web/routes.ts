import { mediaBounds, type Route } from "@gantry/sdk";
import { Type } from "typebox";

type Work =
  | ("page" | "file" | "beginTurn" | "runningTurns" | "turnEvents" | "stopTurn")
  | ("upload" | "approvalEvents" | "markdown" | "logEvents")
  | ("config" | "tryConfig" | "writeConfig" | "reload" | "reloaded");

/** The handlers of the routes, which are loaded when somebody asks one of them first. */
export type ConsoleWork = Readonly<Record<Work, Route["handle"]>>;

export const turnBody = () =>
  Type.Object({
    message: Type.String({ maxLength: 60_000 }),
    session_id: Type.Optional(Type.String({ pattern: "^[A-Za-z0-9_.:+@-]{1,128}$" })),
    files: Type.Optional(Type.Array(Type.String(), { maxItems: 10 })),
  });
export const textsBody = () => Type.Object({ texts: Type.Array(Type.String(), { maxItems: 400 }) });
export const changesBody = () => Type.Object({ changes: Type.Record(Type.String(), Type.Unknown()) });

type Ask = (work: Work) => Route["handle"];

/** Returns the routes of the console. Their schemas are made when they are read. */
export function consoleRoutes(open: () => Promise<ConsoleWork>): readonly Route[] {
  const ask: Ask = (work) => async (request) => (await open())[work](request);
  return [pageRoutes, turnRoutes, chatRoutes, configRoutes, logRoutes].flatMap((of) => of(ask));
}

function pageRoutes(ask: Ask): readonly Route[] {
  const access = { method: "GET", auth: "none", perMinute: 600 } as const;
  return [
    {
      ...access,
      name: "GET /console",
      path: "/console",
      summary: "The console, a page for browsers.",
      handle: ask("page"),
    },
    {
      ...access,
      name: "GET /console/:name",
      path: "/console/:name",
      summary: "A file of the console, or its page under the name of one of its views.",
      handle: ask("file"),
    },
  ];
}

/** Turns that go on while nobody listens, and their steps for whoever listens again. */
function turnRoutes(ask: Ask): readonly Route[] {
  const access = { auth: "token", may: "talk", path: "/api/turns" } as const;
  return [
    {
      ...access,
      name: "POST /api/turns",
      method: "POST",
      summary: "Begins a turn that goes on if the client leaves; `files` are ids of POST /api/uploads.",
      get bodySchema() {
        return turnBody();
      },
      get replySchema() {
        return Type.Object({ session_id: Type.String() });
      },
      handle: ask("beginTurn"),
    },
    {
      ...access,
      name: "GET /api/turns",
      method: "GET",
      summary: "The turns of this device that run; `problem`: why none would be answered.",
      get replySchema() {
        const turn = Type.Object({ session: Type.String(), began: Type.Integer() });
        const problem = Type.Object({ code: Type.String(), message: Type.String() });
        return Type.Object({ turns: Type.Array(turn), problem: Type.Optional(problem) });
      },
      handle: ask("runningTurns"),
    },
    {
      ...access,
      name: "GET /api/turns/events",
      method: "GET",
      path: "/api/turns/events",
      summary: "All steps of the last turn in `session` as events, those behind the first `after`.",
      handle: ask("turnEvents"),
    },
    {
      ...access,
      name: "DELETE /api/turns",
      method: "DELETE",
      summary: "Stops the turn in `session`.",
      handle: ask("stopTurn"),
    },
  ];
}

function chatRoutes(ask: Ask): readonly Route[] {
  return [
    {
      name: "POST /api/uploads",
      method: "POST",
      path: "/api/uploads",
      auth: "token",
      may: "talk",
      summary: "Takes the bytes of a file, called `name`, for a message of POST /api/turns.",
      bodyLimit: mediaBounds.file,
      get replySchema() {
        return Type.Object({ id: Type.String(), mime: Type.String(), bytes: Type.Integer() });
      },
      handle: ask("upload"),
    },
    {
      name: "GET /api/approvals/events",
      method: "GET",
      path: "/api/approvals/events",
      auth: "token",
      may: "decide",
      summary: "The open questions as events: `open` with all of them, `ended` with what became of one.",
      handle: ask("approvalEvents"),
    },
    {
      name: "POST /api/markdown",
      method: "POST",
      path: "/api/markdown",
      auth: "token",
      may: "talk",
      summary: "Reads Markdown: the tree of each of `texts`, without HTML and with harmless links alone.",
      bodyLimit: 4 * 1024 * 1024,
      get bodySchema() {
        return textsBody();
      },
      handle: ask("markdown"),
    },
  ];
}

function logRoutes(ask: Ask): readonly Route[] {
  return [
    {
      name: "GET /api/log/events",
      method: "GET",
      path: "/api/log/events",
      auth: "token",
      may: "manage",
      summary: "The lines of the log as they are written, from now on, as events.",
      handle: ask("logEvents"),
    },
  ];
}

/** The configuration over HTTP. What is a secret neither goes out nor comes in. */
function configRoutes(ask: Ask): readonly Route[] {
  const access = { auth: "token", may: "manage" } as const;
  // The configuration grants everything: whoever changes it is the owner.
  const owner = { ...access, alsoMay: ["talk", "read", "decide"] } as const;
  return [
    {
      ...access,
      name: "GET /api/config",
      method: "GET",
      path: "/api/config",
      summary: "The schema of the configuration and its values, secrets hidden.",
      handle: ask("config"),
    },
    {
      ...owner,
      name: "POST /api/config/trial",
      method: "POST",
      path: "/api/config/trial",
      summary: "Starts everything as it would be with these `changes`, and stops it again.",
      get bodySchema() {
        return changesBody();
      },
      perMinute: 30,
      handle: ask("tryConfig"),
    },
    {
      ...owner,
      name: "PATCH /api/config",
      method: "PATCH",
      path: "/api/config",
      summary: "Tries these `changes` and writes them; null takes a key out.",
      get bodySchema() {
        return changesBody();
      },
      perMinute: 30,
      get replySchema() {
        return Type.Object({ written: Type.Array(Type.String()) });
      },
      handle: ask("writeConfig"),
    },
    {
      ...owner,
      name: "POST /api/config/reload",
      method: "POST",
      path: "/api/config/reload",
      summary: "Has the service apply its file; GET of the same address tells what came of it.",
      perMinute: 30,
      handle: ask("reload"),
    },
    {
      ...access,
      name: "GET /api/config/reload",
      method: "GET",
      path: "/api/config/reload",
      summary: "What came of the last reload: the keys that apply, and those that need a restart.",
      get replySchema() {
        return Type.Object({
          state: Type.String(),
          applied: Type.Optional(Type.Array(Type.String())),
          needRestart: Type.Optional(Type.Array(Type.String())),
          problem: Type.Optional(Type.String()),
        });
      },
      handle: ask("reloaded"),
    },
  ];
}
