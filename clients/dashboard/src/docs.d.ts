// Made by ../docs.ts.
declare module "virtual:docs" {
  const documents: { name: string; title: string; html: string; parts: [id: string, heading: string][] }[];
  export default documents;
}
