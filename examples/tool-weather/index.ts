import { definePlugin, defineTool, Net, Tools, type Tool } from "@gantry/sdk";
import { Type } from "typebox";

interface Forecast {
  readonly current?: { readonly temperature_2m?: number; readonly wind_speed_10m?: number };
}

/**
 * `security.allowed_domains` has to hold the service's domain: the guards read the address in
 * `effects`, and Net checks it again.
 */
export function weatherTool(net: Net, service: string): Tool {
  const address = (latitude: number, longitude: number): string =>
    `${service}/v1/forecast?latitude=${latitude}&longitude=${longitude}&current=temperature_2m,wind_speed_10m`;
  return defineTool({
    name: "weather",
    description: "The weather now at a place, by its latitude and longitude in degrees.",
    input: Type.Object({
      latitude: Type.Number({ minimum: -90, maximum: 90 }),
      longitude: Type.Number({ minimum: -180, maximum: 180 }),
    }),
    parallel: true,
    timeoutMs: 15_000,
    effects: ({ latitude, longitude }) => ({ urls: [address(latitude, longitude)] }),
    async run({ args, signal }) {
      const answer = await net.fetch({
        url: address(args.latitude, args.longitude),
        signal,
        maxBytes: 65_536,
        // Whatever else the owner allows, a redirect leads nowhere but there.
        domains: [new URL(service).hostname],
      });
      if (answer.status !== 200) throw new Error(`the weather service answered HTTP ${answer.status}.`);
      const { current } = JSON.parse(await answer.text()) as Forecast;
      if (typeof current?.temperature_2m !== "number")
        throw new Error("the weather service knows nothing of this place.");
      return `${current.temperature_2m} °C, wind ${current.wind_speed_10m ?? "?"} km/h`;
    },
  });
}

export default definePlugin({
  name: "tool-weather",
  summary: "The weather of a place, from an open service without a key.",
  config: Type.Object({
    service: Type.String({
      default: "https://api.open-meteo.com",
      description: "The service's address, without a path.",
    }),
  }),
  needs: { net: Net },
  provides: [Tools],
  setup(host) {
    host.provide(Tools, weatherTool(host.needs.net, host.config.service));
  },
});
