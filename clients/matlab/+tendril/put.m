function model = put(client, name, document)
%PUT  Stores a model: a new one, or a new revision unless it is the same.
%
%   model = tendril.put(client, 'arm', 'arm.model.json')   a file
%   model = tendril.put(client, 'arm', text)               JSON text: it begins with {
%   model = tendril.put(client, 'arm', document)           a struct, as tendril.json writes it
%
% model: ndof (coordinates), channels (names of inputs), revision, warnings, ...
%
% See also tendril.example, tendril.evaluate
  model = tendril.request(client, 'PUT', ['/v1/models/' name], tendril.document(document));
end
