import {
  defineErrors,
  definePlugin,
  failed,
  type RouteRequest,
  Routes,
  type RouteSocket,
  Turns,
  type ServerEvent,
  type TurnEvent,
} from "@gantry/sdk";
import type { Decider } from "@gantry/sdk/fill";

export const errors = defineErrors({
  ROUTE_TURNS_NONE: failed("No turn of yours runs in the session `%s`.", 404),
});

/** The person behind a request, and what their token may. */
function by({ user = "", caller }: RouteRequest): Decider {
  return { user, ...(caller && { caller }) };
}

async function* events(steps: AsyncIterable<TurnEvent>): AsyncGenerator<ServerEvent> {
  for await (const { type, ...data } of steps) yield { event: type, data };
}

/** Sends each step as JSON; the message `stop` stops the turn, and any other is ignored. */
async function live(socket: RouteSocket, steps: AsyncIterable<TurnEvent>, stop: () => Promise<unknown>) {
  const listen = async (): Promise<void> => {
    for await (const message of socket.messages) if (message === "stop") await stop();
  };
  const tell = async (): Promise<void> => {
    for await (const step of steps) await socket.send(JSON.stringify(step));
  };
  await Promise.race([listen(), tell()]);
}

export default definePlugin({
  name: "route-turns",
  summary: "A device's turns: which run, what they do, and how to stop one.",
  needs: { turns: Turns },
  provides: [Routes],
  errors,
  setup(host) {
    const { turns } = host.needs;
    const access = { auth: "token", may: "talk" } as const;
    host.provide(Routes, {
      name: "GET /turns",
      method: "GET",
      path: "/turns",
      ...access,
      summary: "The turns that run.",
      handle: async (request) => ({ status: 200, body: { turns: turns.running(by(request)) } }),
    });
    host.provide(Routes, {
      name: "GET /turns/:session",
      method: "GET",
      path: "/turns/:session",
      ...access,
      summary: "The steps of a turn as events, from now on.",
      async handle(request) {
        const { params, signal } = request;
        const { session = "" } = params;
        const isOwn = turns.running(by(request)).some((turn) => turn.session === session);
        if (!isOwn) throw errors.ROUTE_TURNS_NONE(session);
        return { status: 200, events: events(turns.watch(session, signal)) };
      },
    });
    host.provide(Routes, {
      name: "GET /turns/:session/live",
      method: "GET",
      path: "/turns/:session/live",
      ...access,
      bodyLimit: 1_024,
      summary: "A WebSocket: the steps of a turn as JSON, from now on. Send `stop` to stop it.",
      async handle(request) {
        const { params, signal } = request;
        const { session = "" } = params;
        const isOwn = turns.running(by(request)).some((turn) => turn.session === session);
        if (!isOwn) throw errors.ROUTE_TURNS_NONE(session);
        const stop = (): Promise<boolean> => turns.stop(session, by(request));
        return { status: 101, webSocket: (socket) => live(socket, turns.watch(session, signal), stop) };
      },
    });
    host.provide(Routes, {
      name: "DELETE /turns/:session",
      method: "DELETE",
      path: "/turns/:session",
      ...access,
      summary: "Stops a turn.",
      async handle(request) {
        const { session = "" } = request.params;
        if (!(await turns.stop(session, by(request)))) throw errors.ROUTE_TURNS_NONE(session);
        return { status: 200, body: { stopped: session } };
      },
    });
  },
});
