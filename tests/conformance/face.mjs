// clients/js as a face of the conformance suite: reads {"call", "with"} by lines, answers {"gives"} or {"code",
// "pointer"}.
import readline from "node:readline";
import { Client, TendrilError } from "../../clients/js/src/index.js";

const client = new Client(process.argv[2]);

async function all(iterator, of = (item) => item) {
  const found = [];
  for await (const item of iterator) found.push(of(item));
  return found;
}

const data = (job) => job.data;
const evaluate = async ({ model, want, states, baumgarte }) => ({
  ndof: states[0].q.length,
  states: await client.evaluate(model, states, want, { baumgarte }),
});

const operations = {
  models_create: ({ document }) => client.models.create(document),
  models_validate: ({ document }) => client.models.validate(document),
  models_import: (request) => client.models.import(request),
  models_put: ({ document, name, if_match: ifMatch }) => client.models.put(document, { name, ifMatch }),
  models_get: ({ name }) => client.models.get(name),
  models_list: async () => ({ models: await all(client.models.list()) }),
  models_delete: ({ name, if_match: ifMatch }) => client.models.delete(name, { ifMatch }),
  models_revisions: async ({ name }) => ({ revisions: await client.models.revisions(name) }),
  models_revision: ({ name, n }) => client.models.revision(name, n),
  evaluate,
  evaluate_inline: evaluate,
  jobs_check: ({ job }) => client.check(job),
  jobs_submit: async ({ job, key }) => (await client.submit(job, { key })).data,
  jobs_get: async ({ id }) => (await client.job(id)).data,
  jobs_wait: async ({ id }) => (await (await client.job(id)).wait({ check: false })).data,
  jobs_list: async (filters) => ({ jobs: await all(client.jobs(filters), data) }),
  jobs_cancel: async ({ id }) => (await (await client.job(id)).cancel()).data,
  jobs_retry: async ({ id }) => (await (await client.job(id)).retry()).data,
  jobs_delete: async ({ id }) => (await client.job(id)).delete(),
  jobs_events: async ({ id }) => ({ events: await all((await client.job(id)).events()) }),
  jobs_result: async ({ id, ...part }) => (await client.job(id)).result(part),
  examples_list: async () => ({ examples: await client.examples() }),
  examples_get: ({ name }) => client.example(name),
  limits: () => client.limits(),
  version: () => client.version(),
  health: () => client.health(),
  ready: () => client.ready(),
};

async function answer({ call, with: given }) {
  try {
    return { gives: (await operations[call](given)) ?? null };
  } catch (error) {
    if (error instanceof TendrilError) return { code: error.code, pointer: error.pointer };
    return { trouble: error.stack };
  }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const reply = JSON.stringify(await answer(JSON.parse(line)), (key, value) => (Object.is(value, -0) ? "-0" : value));
  process.stdout.write(`${reply}\n`);
}
