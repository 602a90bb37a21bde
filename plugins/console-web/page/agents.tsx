import { useSignal } from "@preact/signals";
import { Table } from "./list-end.tsx";
import { Badge, Empty, submitted, useDeed, useLoad, View, When, Wrong } from "./parts.tsx";
import { Failure } from "./failure.ts";
import { ask } from "./service.ts";
import { texts } from "./texts.ts";

const words = texts.agents;

interface Agent {
  readonly name: string;
  readonly provider?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly tools?: readonly string[];
  readonly autonomy?: string;
  readonly workspace?: string;
  readonly memory?: string;
}

interface Lists {
  readonly agents: readonly Agent[];
  readonly routes: readonly { readonly number: number; readonly agent: string; readonly fits: string }[];
}

/** Without a table for them nothing serves agents. */
async function lists(): Promise<Lists> {
  try {
    return await ask<Lists>("GET", "/api/agents");
  } catch (error) {
    if (error instanceof Failure && error.status === 404) return { agents: [], routes: [] };
    throw error;
  }
}

/** The agents, and who of them answers whom. */
export function Agents() {
  const load = useLoad(lists);
  return (
    <View title={texts.views.agents}>
      <When load={load} scope="read">
        {({ agents, routes }) =>
          agents.length === 0 ? (
            <Empty title={words.empty} hint={words.emptyHint} icon="◉" />
          ) : (
            <>
              <ul class="cards plain-list">
                {agents.map((agent) => (
                  <One key={agent.name} agent={agent} />
                ))}
              </ul>
              <h2>{words.routes}</h2>
              <Routes routes={routes} />
              <Explain />
            </>
          )
        }
      </When>
    </View>
  );
}

function Routes({ routes }: Pick<Lists, "routes">) {
  if (routes.length === 0) return <p class="quiet">{words.noRoutes}</p>;
  return (
    <Table label={words.routes} columns={Object.values(words.columns)}>
      {routes.map(({ number, agent, fits }) => (
        <tr key={number}>
          <th scope="row">{number}</th>
          <td>
            <code>{fits}</code>
          </td>
          <td>{agent}</td>
        </tr>
      ))}
    </Table>
  );
}

function One({ agent: { name, model, provider, tools, ...more } }: { readonly agent: Agent }) {
  const facts = Object.entries(more).filter(([key]) => key in words.facts);
  return (
    <li class="card">
      <h2>{name}</h2>
      <p class="quiet">{[provider, model].filter(Boolean).join(" · ") || words.usualModel}</p>
      {facts.length > 0 && (
        <p class="row">
          {facts.map(([key, value]) => (
            <Badge key={key} kind="plain">
              {words.facts[key]}: {String(value)}
            </Badge>
          ))}
        </p>
      )}
      <p>{tools ? words.tools(tools) : words.allTools}</p>
    </li>
  );
}

/** Asks who answers somebody, in the words of `route explain`. */
function Explain() {
  const [user, conversation] = [useSignal(""), useSignal("")];
  const lines = useSignal<readonly string[]>([]);
  const deed = useDeed();
  const explain = async (): Promise<void> => {
    const place = conversation.value.trim();
    const query = new URLSearchParams({
      user: user.value.trim(),
      ...(place !== "" && { conversation: place }),
    });
    lines.value = [];
    lines.value = (await ask<{ lines: readonly string[] }>("GET", `/api/agents/explain?${query}`)).lines;
  };
  return (
    <form class="card narrow" onSubmit={submitted(deed, explain)}>
      <h2>{words.explain}</h2>
      <label>
        <span>{words.user}</span>
        <input
          required
          value={user}
          placeholder="telegram:42"
          onInput={(event) => (user.value = event.currentTarget.value)}
        />
      </label>
      <label>
        <span>{words.conversation}</span>
        <input value={conversation} onInput={(event) => (conversation.value = event.currentTarget.value)} />
      </label>
      <button class="primary">{words.ask}</button>
      <Wrong deed={deed} />
      <div role="status">
        {lines.value.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </div>
    </form>
  );
}
