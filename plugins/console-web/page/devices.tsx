import { useSignal } from "@preact/signals";
import { List } from "./list-end.tsx";
import { usePaged } from "./paged.ts";
import { Badge, submitted, Sure, useDeed, View, Wrong } from "./parts.tsx";
import { account, ask } from "./service.ts";
import { texts, timeOf } from "./texts.ts";

const words = texts.devices;

interface Device {
  readonly device_id: string;
  readonly name: string;
  readonly paired: string;
  readonly may: readonly string[];
  readonly expires?: string;
  readonly used?: string;
}

/** The paired devices and what their tokens may. */
export function Devices() {
  const list = usePaged<Device>("/api/devices", {});
  const revoking = useSignal<Device | undefined>(undefined);
  const chosen = revoking.value;
  return (
    <View title={texts.views.devices}>
      <List
        list={list}
        scope="manage"
        empty={words.empty}
        columns={[...Object.values(words.columns), ""]}
        label={texts.views.devices}
        row={(device) => (
          <Row
            key={device.device_id}
            device={device}
            isOwn={device.device_id === account.value?.device}
            revoke={() => (revoking.value = device)}
          />
        )}
      />
      {list.rows.value && <NewCode />}
      {chosen && (
        <Sure
          title={words.revokeTitle(chosen.name)}
          hint={words.revokeHint}
          yes={words.revoke}
          act={async () => {
            await ask("DELETE", `/api/devices/${chosen.device_id}`);
            list.again();
          }}
          done={() => (revoking.value = undefined)}
        />
      )}
    </View>
  );
}

interface RowProps {
  readonly device: Device;
  readonly isOwn: boolean;
  readonly revoke: () => void;
}

function Row({ device: { name, device_id, may, paired, used, expires }, isOwn, revoke }: RowProps) {
  return (
    <tr>
      <th scope="row">
        {name} {isOwn && <Badge kind="ok">{words.own}</Badge>}
        <br />
        <small>{device_id}</small>
      </th>
      <td>{may.join(", ")}</td>
      <td>{timeOf(paired)}</td>
      <td>{timeOf(used) || words.never}</td>
      <td>{timeOf(expires) || words.never}</td>
      <td>
        <button type="button" class="danger" aria-label={`${words.revoke} ${name}`} onClick={revoke}>
          {words.revoke}
        </button>
      </td>
    </tr>
  );
}

/** A code for another device, for no more than this one may. */
function NewCode() {
  const own = account.value?.may ?? [];
  const may = useSignal<readonly string[]>(own);
  const name = useSignal("");
  const days = useSignal("");
  const made = useSignal<{ readonly code: string; readonly expires: string } | undefined>(undefined);
  const deed = useDeed();
  const make = async (): Promise<void> => {
    const wanted = {
      may: may.value,
      ...(name.value !== "" && { name: name.value }),
      ...(days.value !== "" && { days: Number(days.value) }),
    };
    made.value = await ask("POST", "/api/devices/codes", wanted);
  };
  const toggle = (scope: string): void => {
    const has = may.value.includes(scope);
    may.value = has ? may.value.filter((one) => one !== scope) : [...may.value, scope];
  };
  return (
    <form class="card narrow" onSubmit={submitted(deed, make)}>
      <h2>{words.add}</h2>
      <fieldset>
        <legend>{words.columns.may}</legend>
        {own.map((scope) => (
          <label key={scope} class="check">
            <input type="checkbox" checked={may.value.includes(scope)} onChange={() => toggle(scope)} />
            <span>{words.scopes[scope] ?? scope}</span>
          </label>
        ))}
      </fieldset>
      <label>
        {words.name}
        <input value={name} maxLength={64} onInput={(event) => (name.value = event.currentTarget.value)} />
        <small>{words.nameHint}</small>
      </label>
      <label>
        {words.days}
        <input
          type="number"
          min={1}
          max={3650}
          value={days}
          onInput={(event) => (days.value = event.currentTarget.value)}
        />
      </label>
      <Wrong deed={deed} />
      <button class="primary" disabled={may.value.length === 0}>
        {words.make}
      </button>
      <p role="status">
        {made.value && (
          <>
            {words.code}: <strong class="code">{made.value.code}</strong> <br />
            <small>{words.codeHint(timeOf(made.value.expires))}</small>
          </>
        )}
      </p>
    </form>
  );
}
