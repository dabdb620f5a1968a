function [slopes, result, job] = sensitivity(client, document, parameters, fields)
%SENSITIVITY  Derivatives of a job's results by numbers of its document or of its model's: exact ones, no differences.
%
%   slopes = tendril.sensitivity(client, job, {'/job/inputs/cable1', '/model/links/0/body/material/young'}, {'q'})
%
% job          struct, file name or JSON text, of kind dynamics or statics, without sensitivity of its own
% parameters   places of numbers below /job or /model; an array stands for all of its numbers
% fields       default {'q'}
%
% slopes.q [rows x ndof x parameters], slopes.poses_arm_1 [rows x 4 x 4 x parameters], ...: the last axis counts
% parameters, also when there is one; their units are those of the field by that of the number. result.summary
% .parameters names them. What answers do not depend on smoothly is refused (tendril:invalid_argument).
  if nargin < 4, fields = {'q'}; end
  if ischar(parameters), parameters = {parameters}; end
  if ischar(fields), fields = {fields}; end
  text = strtrim(tendril.document(document));
  wish = struct('parameters', {{}}, 'fields', {{}});
  wish.parameters = parameters; wish.fields = fields;
  text = [text(1:end - 1) ',"sensitivity":' tendril.json(wish) '}'];
  [result, job] = tendril.run(client, text);
  slopes = struct();
  names = fieldnames(result);
  for i = 1:numel(names)
    if strncmp(names{i}, 'sensitivity_', 12), slopes.(names{i}(13:end)) = result.(names{i}); end
  end
end
